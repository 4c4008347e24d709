import { type Column, type Family, rowColumns } from '../../domain/families/index.js';
import type { AmountColumn, CountColumn } from '../columns/number-columns.js';
import type { TextColumn } from '../columns/text-column.js';
import type { UploadColumns } from '../columns/upload-columns.js';
import { costTotals } from './cost-totals.js';
import type { OverwriteKeys } from '../group/overwrite-keys.js';
import type { PreparedUpload } from './prepared-upload.js';

/** Encodes a valid file's columns, with the rows of each overwrite key side by side. */
export function encodeUpload(family: Family, columns: UploadColumns): PreparedUpload {
  const { keys } = columns;
  const order = keys.order();
  const totals = family.name === 'cost' ? totalsOf(columns, order) : undefined;
  return {
    rows: keys.rows,
    keys: keys.count,
    keyColumns: [
      dayColumn(keys),
      textColumn(columns.bytes, keys.count, keys.start1, keys.end1),
      textColumn(columns.bytes, keys.count, keys.start2, keys.end2),
    ],
    rowCounts: Uint32Array.from(keys.rowsOf.subarray(0, keys.count)),
    rowColumns: rowColumns(family).map((column) => {
      if (!columns.present.has(column.name)) return absentColumn(column, keys.rows);
      const stored = columns.stored.get(column.name)!;
      const out = new Uint8Array(stored.size());
      stored.write(out, 0, order);
      return out;
    }),
    totalCounts: totals?.counts ?? new Uint32Array(0),
    totalColumns: totals?.columns ?? [],
  };
}

function totalsOf(
  columns: UploadColumns,
  order: Int32Array | undefined,
): ReturnType<typeof costTotals> {
  const { stored } = columns;
  return costTotals(
    columns.keys,
    order,
    (stored.get('currency') as TextColumn).native(),
    stored.get('impressions') as CountColumn,
    stored.get('clicks') as CountColumn,
    stored.get('cost') as AmountColumn,
  );
}

/** Native `Date`: two bytes a key. */
function dayColumn(keys: OverwriteKeys): Uint8Array<ArrayBuffer> {
  const days = Uint16Array.from(keys.day.subarray(0, keys.count));
  return new Uint8Array(days.buffer);
}

/** Native `String` of one of the key's texts. */
function textColumn(
  bytes: Uint8Array,
  count: number,
  starts: Int32Array,
  ends: Int32Array,
): Uint8Array<ArrayBuffer> {
  let size = 0;
  for (let key = 0; key < count; key++) {
    const length = ends[key]! - starts[key]!;
    size += length + (length < 0x80 ? 1 : 2);
  }
  const out = new Uint8Array(size);
  let at = 0;
  for (let key = 0; key < count; key++) {
    const end = ends[key]!;
    const length = end - starts[key]!;
    if (length < 0x80) out[at++] = length;
    else {
      out[at++] = (length & 0x7f) | 0x80;
      out[at++] = length >> 7;
    }
    for (let i = starts[key]!; i < end; i++) out[at++] = bytes[i]!;
  }
  return out;
}

/** A column that the file does not have: empty strings, or nulls before their values. */
function absentColumn(column: Column, rows: number): Uint8Array<ArrayBuffer> {
  return column.kind === 'boolean'
    ? new Uint8Array(rows * 2).fill(1, 0, rows)
    : new Uint8Array(rows);
}
