import { type Family, ownTexts, valueColumns } from '../domain/families/index.js';
import type { Arena } from '../domain/memory.js';
import type { UploadColumns } from './upload-columns.js';
import type { Elements, PreparedUpload } from './verdict.js';
import type { Kernel } from './kernel/kernel.js';

const NONE = new Uint8Array(0);

/** Encodes a valid file's columns, overwrite key by overwrite key. */
export function encodeUpload(family: Family, columns: UploadColumns, arena: Arena): PreparedUpload {
  const { kernel } = columns;
  const { calls } = kernel;
  calls.orderRows();
  findCombinations(columns);
  const keys = calls.keysOfFile();
  const values = valueColumns(family).map(({ name }) => columns.stored.get(name)!);
  const noTotals = { counts: new Uint32Array(0), columns: [] };
  const totals = family.name === 'cost' ? costTotals(columns, arena) : noTotals;
  const keyTexts = (isSecond: boolean): Uint8Array => {
    const address = calls.textsByKey(isSecond);
    return arena.copyOf(kernel.view(address, calls.keyTextBytes()));
  };
  return {
    rows: calls.rowsOfFile(),
    keys,
    keyColumns: [
      arena.copyOf(kernel.view(calls.daysByKey(), 2 * keys)),
      keyTexts(false),
      keyTexts(true),
    ],
    combinations: {
      counts: wordsOf(kernel, calls.combinationsByKey(), keys, arena),
      columns: [
        ...values.map((column) => column.encodeSums(arena)),
        ...columns.texts.encodeCombinations(
          ownTexts(family).map(({ name }) => columns.present.has(name)),
          arena,
        ),
      ],
    },
    csvRows: {
      counts: wordsOf(kernel, calls.csvRowsByKey(), keys, arena),
      columns:
        calls.csvRowsOfFile() === 0
          ? [...values.map(() => NONE), NONE]
          : [...values.map((column) => column.encodeRows(arena)), columns.texts.encodeRows(arena)],
    },
    totals,
  };
}

/** Finds the group-by combinations of each key (see `kernel/assembly/combinations.ts`). */
function findCombinations({ kernel, stored, texts }: UploadColumns): void {
  const columnOf = (name: string): number => stored.get(name)?.column ?? 0;
  kernel.calls.findCombinations(
    texts.texts,
    // Zeros delete cost, not metrics of customers: there 0 is a value.
    columnOf('impressions'),
    columnOf('clicks'),
    columnOf('cost'),
  );
}

/**
 * The totals of each key by currency (see `kernel/assembly/totals.ts`): currency, impressions,
 * clicks, cost.
 */
function costTotals({ kernel, stored, texts }: UploadColumns, arena: Arena): Elements {
  const { calls } = kernel;
  const count = calls.sumTotals(
    texts.texts,
    stored.get('impressions')!.column,
    stored.get('clicks')!.column,
    stored.get('cost')!.column,
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
