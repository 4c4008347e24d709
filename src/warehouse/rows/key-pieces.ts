import { type Family, ownTexts, valueColumns } from '../../domain/families/index.js';
import type { Elements, PreparedUpload } from '../../csv/verdict.js';
import { ColumnCursor, type ValueSize } from '../native/column-cursor.js';

const DAY: ValueSize = 2;
const NUMBER: ValueSize = 8;

/**
 * The upload's keys in their order, in pieces of at most so many keys and CSV rows, each as an upload
 * of its own. A key with more rows is a piece alone.
 */
export function* keyPieces(
  family: Family,
  upload: PreparedUpload,
  most: { readonly keys: number; readonly rows: number },
): Generator<PreparedUpload, void> {
  const values = valueColumns(family).map(() => NUMBER);
  const ownColumns = ownTexts(family).map((): ValueSize => 'text');
  const keys = cursorsOf(upload.keyColumns, [DAY, 'text', 'text']);
  const combinations = cursorsOf(upload.combinations.columns, [...values, ...ownColumns, 'text']);
  const csvRows = cursorsOf(upload.csvRows.columns, [...values, 'text']);
  // The currency, then three numbers.
  const totals = cursorsOf(upload.totals.columns, ['text', NUMBER, NUMBER, NUMBER]);
  let from = 0;
  while (from < upload.keys) {
    const to = endOfPiece(upload, from, most);
    yield {
      // Not known of a piece, and not needed.
      rows: 0,
      keys: to - from,
      keyColumns: taken(keys, to - from),
      combinations: takenOfKeys(upload.combinations, combinations, from, to),
      csvRows: takenOfKeys(upload.csvRows, csvRows, from, to),
      totals: takenOfKeys(upload.totals, totals, from, to),
    };
    from = to;
  }
}

function endOfPiece(
  { keys, combinations, csvRows }: PreparedUpload,
  from: number,
  most: { readonly keys: number; readonly rows: number },
): number {
  const end = Math.min(from + most.keys, keys);
  let rows = 0;
  for (let key = from; key < end; key++) {
    rows += Math.max(combinations.counts[key]!, csvRows.counts[key]!);
    if (rows > most.rows && key > from) return key;
  }
  return end;
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

function takenOfKeys(
  of: Elements,
  cursors: readonly ColumnCursor[],
  from: number,
  to: number,
): Elements {
  const counts = of.counts.subarray(from, to);
  const count = counts.reduce((sum, each) => sum + each, 0);
  return { counts, columns: taken(cursors, count) };
}
