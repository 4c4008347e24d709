import type { ColumnSpace } from '../columns/column-space.js';
import type { AmountColumn, CountColumn } from '../columns/number-columns.js';
import type { UploadColumns } from '../columns/upload-columns.js';
import { wordsOf } from './words.js';

interface Totals {
  readonly counts: Uint32Array;
  /** Native columns: currency, impressions, clicks, cost. */
  readonly columns: readonly Uint8Array[];
}

/** The totals of each key by currency (see `kernel/assembly/totals.ts`). */
export function costTotals({ kernel, stored, texts }: UploadColumns, space: ColumnSpace): Totals {
  const { calls } = kernel;
  const count = calls.sumTotals(
    texts.texts,
    (stored.get('impressions') as CountColumn).column,
    (stored.get('clicks') as CountColumn).column,
    (stored.get('cost') as AmountColumn).column,
  );
  const copyOf = (address: number, bytes: number): Uint8Array =>
    space.copyOf(kernel.view(address, count * bytes));
  return {
    counts: wordsOf(kernel, calls.totalsByKey(), calls.keysOfFile(), space),
    columns: [
      copyOf(calls.currenciesOfTotals(), 4),
      copyOf(calls.impressionsOfTotals(), 8),
      copyOf(calls.clicksOfTotals(), 8),
      copyOf(calls.costsOfTotals(), 8),
    ],
  };
}
