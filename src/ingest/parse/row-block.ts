import type { Kernel } from '../kernel/kernel.js';

/** How many rows are scanned before their columns are checked: small enough to stay in the cache. */
export const BLOCK_ROWS = 512;

/** The next rows of a file, of equal width; where their fields lie the kernel knows. */
export class RowBlock {
  rows = 0;
  /** The rows as a spreadsheet shows them: the header is row 1. */
  readonly rowNumbers = new Int32Array(BLOCK_ROWS);

  /** @param width how many fields of a row the block has: all of them, or the first ones */
  constructor(
    readonly kernel: Kernel,
    readonly width: number,
  ) {
    kernel.calls.roomForFields(BLOCK_ROWS * width);
  }

  /**
   * Takes more rows until one has a fault or not so many fields, which is not taken.
   *
   * @param fields how many a row must have
   * @param most at most so many, and as many as there is room for
   * @param rowNumber of the first one
   * @returns how many were taken
   */
  take(fields: number, most: number, rowNumber: number): number {
    const room = BLOCK_ROWS - this.rows;
    const taken = this.kernel.calls.nextRows(this.rows, this.width, fields, Math.min(room, most));
    for (let i = 0; i < taken; i++) this.rowNumbers[this.rows++] = rowNumber + i;
    return taken;
  }

  /** The value of a field, which is valid until the next call of the kernel. */
  valueAt(row: number, field: number): Uint8Array {
    const { calls } = this.kernel;
    const at = 4 * (row * this.width + field);
    const start = this.addressAt(calls.startsAt() + at);
    return this.kernel.view(start, this.addressAt(calls.endsAt() + at) - start);
  }

  private addressAt(address: number): number {
    const { buffer, byteOffset } = this.kernel.view(address, 4);
    return new Uint32Array(buffer, byteOffset, 1)[0]!;
  }
}
