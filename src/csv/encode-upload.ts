import { type Family, valueColumns } from '../domain/families/index.js';
import type { Arena } from '../domain/memory.js';
import type { UploadColumns } from './upload-columns.js';
import type { PreparedUpload } from './verdict.js';
import type { AmountColumn, CountColumn } from './columns.js';
import type { Kernel } from './kernel/kernel.js';

/** Encodes a valid file's columns, with the rows of each overwrite key side by side. */
export function encodeUpload(family: Family, columns: UploadColumns, arena: Arena): PreparedUpload {
  const { kernel } = columns;
  const { calls } = kernel;
  calls.orderRows();
  const rows = calls.rowsOfFile();
  const keys = calls.keysOfFile();
  const totals = family.name === 'cost' ? costTotals(columns, arena) : undefined;
  const keyTexts = (isSecond: boolean): Uint8Array => {
    const address = calls.textsByKey(isSecond);
    return arena.copyOf(kernel.view(address, calls.keyTextBytes()));
  };
  return {
    rows,
    keys,
    keyColumns: [
      arena.copyOf(kernel.view(calls.daysByKey(), 2 * keys)),
      keyTexts(false),
      keyTexts(true),
    ],
    rowCounts: wordsOf(kernel, calls.rowsByKey(), keys, arena),
    rowColumns: [
      ...valueColumns(family).map(({ name }) =>
        columns.present.has(name)
          ? columns.stored.get(name)!.encode(arena)
          : absentBooleans(rows, arena),
      ),
      columns.texts.encode(arena),
    ],
    totalCounts: totals?.counts ?? new Uint32Array(0),
    totalColumns: totals?.columns ?? [],
  };
}

/**
 * Booleans are the only values that a file may leave out: first the null flags, then the values.
 */
function absentBooleans(rows: number, arena: Arena): Uint8Array {
  return arena
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
function costTotals({ kernel, stored, texts }: UploadColumns, arena: Arena): Totals {
  const { calls } = kernel;
  const count = calls.sumTotals(
    texts.texts,
    (stored.get('impressions') as CountColumn).column,
    (stored.get('clicks') as CountColumn).column,
    (stored.get('cost') as AmountColumn).column,
  );
  const copyOf = (address: number, bytes: number): Uint8Array =>
    arena.copyOf(kernel.view(address, count * bytes));
  return {
    counts: wordsOf(kernel, calls.totalsByKey(), calls.keysOfFile(), arena),
    columns: [
      copyOf(calls.currenciesOfTotals(), 4),
      copyOf(calls.impressionsOfTotals(), 8),
      copyOf(calls.clicksOfTotals(), 8),
      copyOf(calls.costsOfTotals(), 8),
    ],
  };
}

/** Numbers of four bytes that lie in the kernel's memory, written to the arena. */
function wordsOf(kernel: Kernel, address: number, count: number, arena: Arena): Uint32Array {
  const { buffer, byteOffset } = kernel.view(address, 4 * count);
  const words = arena.words(count);
  words.set(new Uint32Array(buffer, byteOffset, count));
  return words;
}
