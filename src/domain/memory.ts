/** Where a piece begins: whole numbers and doubles are written as such. */
const ALIGNMENT = 8;

/**
 * Gives out pieces of one memory, one behind the other. What it has no room for gets memory of its own.
 *
 * Nothing is cleared: of a piece, only what has been written may be read.
 */
export class Arena {
  /** The memory of what did not fit. */
  own: ArrayBuffer[] = [];
  private used = 0;

  /** @param memory what may be written over */
  constructor(private readonly memory?: ArrayBufferLike) {}

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

  /** To be called when nothing that was given out is needed any more. */
  clear(): void {
    this.used = 0;
    this.own = [];
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

/**
 * Memory that is used again and again. What lives as long as a write outlives V8's young generation:
 * with new memory each time, V8 collects its whole heap again and again.
 */
export class Pool<T> {
  private readonly kept: T[] = [];

  /**
   * @param make when none is kept
   * @param mostKept what is given back beyond is dropped
   */
  constructor(
    private readonly make: () => T,
    private readonly mostKept: number,
  ) {}

  get free(): number {
    return this.kept.length;
  }

  take(): T {
    return this.kept.pop() ?? this.make();
  }

  /** To be called when nothing that was written to it is needed any more. */
  giveBack(item: T): void {
    if (this.kept.length < this.mostKept) this.kept.push(item);
  }
}
