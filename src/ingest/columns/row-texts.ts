import type { Kernel } from '../kernel/kernel.js';
import type { RowBlock } from '../parse/row-block.js';
import type { ColumnSpace } from './column-space.js';

/**
 * The texts of each row, stored as one: a Native column of a string a row, in which NUL stands between
 * the texts. Columns that a file does not have are blank, and behind the last one that it has there is
 * nothing.
 */
export class RowTexts {
  /** The kernel's. */
  readonly texts: number;

  constructor(private readonly kernel: Kernel) {
    this.texts = kernel.calls.newRowTexts();
  }

  reset(): void {
    this.kernel.calls.clearRowTexts(this.texts);
  }

  /**
   * Keeps the texts of a block's rows, which must be valid.
   *
   * @param fields by text column its place in the header, or -1
   */
  take({ kernel, width, rows }: RowBlock, fields: readonly number[]): void {
    const present = [];
    let last = 0;
    for (const [text, field] of fields.entries()) {
      if (field === -1) continue;
      present.push(field, text - last);
      last = text;
    }
    const address = kernel.calls.roomForTextFields(present.length / 2);
    const { buffer, byteOffset } = kernel.view(address, 4 * present.length);
    new Int32Array(buffer, byteOffset, present.length).set(present);
    kernel.calls.takeRowTexts(this.texts, present.length / 2, last, width, rows);
  }

  encode(space: ColumnSpace): Uint8Array {
    const { calls } = this.kernel;
    const address = calls.orderedRowTexts(this.texts);
    return space.copyOf(this.kernel.view(address, calls.rowTextsBytes(this.texts)));
  }
}
