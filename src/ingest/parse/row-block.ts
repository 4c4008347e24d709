/** How many rows are scanned before their columns are checked: small enough to stay in the cache. */
export const BLOCK_ROWS = 512;

/** Rows of equal width, as positions in the file's bytes: field `f` of row `r` is `[starts[r * width + f], ends[…])`. */
export interface RowBlock {
  readonly bytes: Uint8Array;
  /** Of the same bytes, for more than one at a time. */
  readonly view: DataView;
  readonly width: number;
  readonly starts: Int32Array;
  readonly ends: Int32Array;
  /** The row as a spreadsheet shows it: the header is row 1. */
  readonly rowNumbers: Int32Array;
  rows: number;
}

export function createRowBlock(bytes: Uint8Array, width: number): RowBlock {
  return {
    bytes,
    view: new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength),
    width,
    starts: new Int32Array(BLOCK_ROWS * width),
    ends: new Int32Array(BLOCK_ROWS * width),
    rowNumbers: new Int32Array(BLOCK_ROWS),
    rows: 0,
  };
}
