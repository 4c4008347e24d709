import { type Family, valueColumns } from '../domain/families/index.js';
import type { ColumnSpace } from './column-space.js';
import type { UploadColumns } from './upload-columns.js';
import type { PreparedUpload } from './prepared-upload.js';
import type { AmountColumn, CountColumn } from './columns.js';
import type { Kernel } from './kernel/kernel.js';

/** Encodes a valid file's columns, with the rows of each overwrite key side by side. */
export function encodeUpload(
  family: Family,
  columns: UploadColumns,
  space: ColumnSpace,
): PreparedUpload {
  const { kernel } = columns;
  const { calls } = kernel;
  calls.orderRows();
  const rows = calls.rowsOfFile();
  const keys = calls.keysOfFile();
  const totals = family.name === 'cost' ? costTotals(columns, space) : undefined;
  const keyTexts = (isSecond: boolean): Uint8Array => {
    const address = calls.textsByKey(isSecond);
    return space.copyOf(kernel.view(address, calls.keyTextBytes()));
  };
  return {
    rows,
    keys,
    keyColumns: [
      space.copyOf(kernel.view(calls.daysByKey(), 2 * keys)),
      keyTexts(false),
      keyTexts(true),
    ],
    rowCounts: wordsOf(kernel, calls.rowsByKey(), keys, space),
    rowColumns: [
      ...valueColumns(family).map(({ name }) =>
        columns.present.has(name)
          ? columns.stored.get(name)!.encode(space)
          : absentBooleans(rows, space),
      ),
      columns.texts.encode(space),
    ],
    totalCounts: totals?.counts ?? new Uint32Array(0),
    totalColumns: totals?.columns ?? [],
  };
}

/** Booleans are all that a file may leave out of its values: nulls, then what stands in their place. */
function absentBooleans(rows: number, space: ColumnSpace): Uint8Array {
  return space
    .bytes(rows * 2)
    .fill(1, 0, rows)
    .fill(0, rows);
}

interface Totals {
  readonly counts: Uint32Array;
  /** Native columns: currency, impressions, clicks, cost. */
  readonly columns: readonly Uint8Array[];
}

/** The totals of each key by currency (see `kernel/assembly/totals.ts`). */
function costTotals({ kernel, stored, texts }: UploadColumns, space: ColumnSpace): Totals {
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

/** Numbers of four bytes that lie in the kernel's memory, written to the space. */
function wordsOf(kernel: Kernel, address: number, count: number, space: ColumnSpace): Uint32Array {
  const { buffer, byteOffset } = kernel.view(address, 4 * count);
  const words = space.words(count);
  words.set(new Uint32Array(buffer, byteOffset, count));
  return words;
}
