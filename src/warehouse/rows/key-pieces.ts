import { type Family, ownTexts, valueColumns } from '../../domain/families/index.js';
import type { PreparedUpload } from '../../csv/verdict.js';
import { ColumnCursor, type ValueSize } from '../native/column-cursor.js';

const DAY: ValueSize = 2;
const NUMBER: ValueSize = 8;

/** The upload's keys in their order, at most `most` at a time, each piece as an upload of its own. */
export function* keyPieces(
  family: Family,
  upload: PreparedUpload,
  most: number,
): Generator<PreparedUpload, void> {
  const values = valueColumns(family).map(() => NUMBER);
  const ownColumns = ownTexts(family).map((): ValueSize => 'text');
  const keys = cursorsOf(upload.keyColumns, [DAY, 'text', 'text']);
  const combinations = cursorsOf(upload.combinationColumns, [...values, ...ownColumns, 'text']);
  const csvRows = cursorsOf(upload.csvRowColumns, [...values, 'text']);
  // The currency, then three numbers.
  const totals = cursorsOf(upload.totalColumns, ['text', NUMBER, NUMBER, NUMBER]);
  for (let from = 0; from < upload.keys; from += most) {
    const to = Math.min(from + most, upload.keys);
    const combinationCounts = upload.combinationCounts.subarray(from, to);
    const csvRowCounts = upload.csvRowCounts.subarray(from, to);
    const totalCounts = upload.totalCounts.subarray(from, to);
    yield {
      // Not known of a piece, and not needed.
      rows: 0,
      keys: to - from,
      keyColumns: taken(keys, to - from),
      combinationCounts,
      combinationColumns: taken(combinations, sumOf(combinationCounts)),
      csvRowCounts,
      csvRowColumns: taken(csvRows, sumOf(csvRowCounts)),
      totalCounts,
      totalColumns: taken(totals, sumOf(totalCounts)),
    };
  }
}

function cursorsOf(
  columns: readonly Uint8Array[],
  sizes: readonly ValueSize[],
): readonly ColumnCursor[] {
  return columns.map((column, index) => new ColumnCursor(column, sizes[index]!));
}

function taken(cursors: readonly ColumnCursor[], count: number): Uint8Array[] {
  return cursors.map((cursor) => cursor.take(count));
}

function sumOf(counts: Uint32Array): number {
  return counts.reduce((sum, count) => sum + count, 0);
}
