import { columnMemoryBytes } from '../../ops/metrics.js';

/** Room for the columns of a cost file, whose keys have a currency each: 1 MiB of text, and 62 bytes of numbers a row. */
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
 * memory of their own each, 160 files brought one to four full collections more. Buffers that move
 * between the threads are counted by the collector of each: not fewer.
 */
export class ColumnMemory {
  private readonly free: SharedArrayBuffer[] = [];
  private pieces = 0;

  /** Memory for the columns of a file of so many bytes; undefined: it is to have memory of its own. */
  lend(fileBytes: number): SharedArrayBuffer | undefined {
    if (fileBytes < WORTH_A_PIECE_BYTES) return undefined;
    let piece = this.free.pop();
    if (piece === undefined && this.pieces < MAX_PIECES) {
      piece = new SharedArrayBuffer(PIECE_BYTES);
      this.pieces++;
    }
    this.account();
    return piece;
  }

  /** Nothing that was written to it is needed any more. */
  giveBack(piece: SharedArrayBuffer): void {
    this.free.push(piece);
    this.account();
  }

  private account(): void {
    const free = this.free.length;
    columnMemoryBytes.set({ state: 'free' }, free * PIECE_BYTES);
    columnMemoryBytes.set({ state: 'lent' }, (this.pieces - free) * PIECE_BYTES);
  }
}
