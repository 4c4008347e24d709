import { type Column, type Family, rowColumns } from '../../domain/families/index.js';
import { copyBytes, viewOf } from '../columns/copy-bytes.js';
import type { AmountColumn, CountColumn } from '../columns/number-columns.js';
import type { TextColumn } from '../columns/text-column.js';
import type { UploadColumns } from '../columns/upload-columns.js';
import type { ColumnSpace } from '../columns/column-space.js';
import { costTotals } from './cost-totals.js';
import type { OverwriteKeys } from '../group/overwrite-keys.js';
import type { PreparedUpload } from './prepared-upload.js';

/** Encodes a valid file's columns, with the rows of each overwrite key side by side. */
export function encodeUpload(
  family: Family,
  columns: UploadColumns,
  space: ColumnSpace,
): PreparedUpload {
  const { keys } = columns;
  const order = keys.order();
  const totals = family.name === 'cost' ? totalsOf(columns, order, space) : undefined;
  return {
    rows: keys.rows,
    keys: keys.count,
    keyColumns: [
      dayColumn(keys, space),
      textColumn(columns.view, keys.count, keys.start1, keys.end1, space),
      textColumn(columns.view, keys.count, keys.start2, keys.end2, space),
    ],
    rowCounts: rowCounts(keys, space),
    rowColumns: rowColumns(family).map((column) => {
      if (!columns.present.has(column.name)) return absentColumn(column, keys.rows, space);
      return columns.stored.get(column.name)!.encode(space, order);
    }),
    totalCounts: totals?.counts ?? new Uint32Array(0),
    totalColumns: totals?.columns ?? [],
  };
}

function totalsOf(
  columns: UploadColumns,
  order: Int32Array | undefined,
  space: ColumnSpace,
): ReturnType<typeof costTotals> {
  const { stored } = columns;
  return costTotals(
    columns.keys,
    order,
    (stored.get('currency') as TextColumn).native(),
    stored.get('impressions') as CountColumn,
    stored.get('clicks') as CountColumn,
    stored.get('cost') as AmountColumn,
    space,
  );
}

/** Native `Date`: two bytes a key. */
function dayColumn({ day, count }: OverwriteKeys, space: ColumnSpace): Uint8Array {
  const out = space.bytes(count * 2);
  new Uint16Array(out.buffer, out.byteOffset, count).set(day.subarray(0, count));
  return out;
}

function rowCounts({ rowsOf, count }: OverwriteKeys, space: ColumnSpace): Uint32Array {
  const out = space.words(count);
  out.set(rowsOf.subarray(0, count));
  return out;
}

/** Native `String` of one of the key's texts. */
function textColumn(
  view: DataView,
  count: number,
  starts: Int32Array,
  ends: Int32Array,
  space: ColumnSpace,
): Uint8Array {
  let size = 0;
  for (let key = 0; key < count; key++) {
    const length = ends[key]! - starts[key]!;
    size += length + (length < 0x80 ? 1 : 2);
  }
  const out = space.bytes(size);
  const to = viewOf(out);
  let at = 0;
  for (let key = 0; key < count; key++) {
    const end = ends[key]!;
    const length = end - starts[key]!;
    if (length < 0x80) out[at++] = length;
    else {
      out[at++] = (length & 0x7f) | 0x80;
      out[at++] = length >> 7;
    }
    at = copyBytes(view, starts[key]!, end, to, at);
  }
  return out;
}

/** A column that the file does not have: empty strings, or nulls before their values. */
function absentColumn(column: Column, rows: number, space: ColumnSpace): Uint8Array {
  if (column.kind === 'boolean')
    return space
      .bytes(rows * 2)
      .fill(1, 0, rows)
      .fill(0, rows);
  return space.bytes(rows).fill(0);
}
