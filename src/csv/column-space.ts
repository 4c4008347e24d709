/** Where a column begins: whole numbers and doubles are written as such. */
const ALIGNMENT = 8;

/**
 * Memory for the columns of one upload, one behind the other. What it has no room for gets memory of
 * its own.
 *
 * Nothing is cleared: of a column, only what has been written may be handed on.
 */
export class ColumnSpace {
  /** The memory that columns got of their own. */
  readonly own: ArrayBuffer[] = [];
  private used = 0;

  /** @param memory what may be written over */
  constructor(private readonly memory?: SharedArrayBuffer) {}

  bytes(length: number): Uint8Array {
    return new Uint8Array(...this.place(length), length);
  }

  words(length: number): Uint32Array {
    return new Uint32Array(...this.place(length * 4), length);
  }

  copyOf(bytes: Uint8Array): Uint8Array {
    const copy = this.bytes(bytes.length);
    copy.set(bytes);
    return copy;
  }

  private place(bytes: number): [ArrayBufferLike, number] {
    const at = this.used;
    if (this.memory !== undefined && at + bytes <= this.memory.byteLength) {
      this.used = Math.ceil((at + bytes) / ALIGNMENT) * ALIGNMENT;
      return [this.memory, at];
    }
    const own = new ArrayBuffer(bytes);
    this.own.push(own);
    return [own, 0];
  }
}
