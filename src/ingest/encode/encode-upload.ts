import { type Family, valueColumns } from '../../domain/families/index.js';
import type { ColumnSpace } from '../columns/column-space.js';
import type { UploadColumns } from '../columns/upload-columns.js';
import { costTotals } from './cost-totals.js';
import type { PreparedUpload } from './prepared-upload.js';
import { wordsOf } from './words.js';

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
