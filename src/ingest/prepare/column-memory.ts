/** Room for the columns of any cost file: 1 MiB of text, and 78 bytes of numbers for each of 10,000 rows. */
const PIECE_BYTES = 2 * 1024 * 1024;
/** The columns of a smaller file get memory of their own. */
const WORTH_A_PIECE_BYTES = 256 * 1024;
/** As much memory as this process keeps for columns, once it was needed: 128 MiB. */
const MAX_PIECES = 64;

/**
 * Memory for the columns of uploads, used again and again, which this thread and the preparing ones
 * share.
 *
 * Columns live until their batch is stored, so they outlive the collector's young generation: with
 * memory of their own each, 160 files brought six full collections, and now one. Buffers that move
 * between the threads are counted by the collector of each, and brought five.
 */
export class ColumnMemory {
  private readonly free: SharedArrayBuffer[] = [];
  private pieces = 0;

  /** Memory for the columns of a file of so many bytes; undefined: it is to have memory of its own. */
  lend(fileBytes: number): SharedArrayBuffer | undefined {
    if (fileBytes < WORTH_A_PIECE_BYTES) return undefined;
    const piece = this.free.pop();
    if (piece !== undefined || this.pieces === MAX_PIECES) return piece;
    this.pieces++;
    return new SharedArrayBuffer(PIECE_BYTES);
  }

  /** Nothing that was written to it is needed any more. */
  giveBack(piece: SharedArrayBuffer): void {
    this.free.push(piece);
  }
}
