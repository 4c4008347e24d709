/** Bytes; a piece may be read as integers or doubles. */
const ALIGNMENT = 8;

/**
 * Hands out pieces of one buffer, one behind the other. A piece that does not fit gets a buffer of
 * its own.
 *
 * Nothing is cleared: read of a piece only what has been written to it.
 */
export class Arena {
  /** The buffers of pieces that did not fit. */
  own: ArrayBuffer[] = [];
  private used = 0;

  /** @param memory may be overwritten */
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

  /** To be called when no piece is needed any more. */
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
 * Buffers that are used again. A buffer that lives as long as a write outlives V8's young
 * generation: with new buffers for each write, V8 would collect its whole heap again and again.
 */
export class Pool<T> {
  private readonly kept: T[] = [];

  /**
   * @param make called when none is kept
   * @param mostKept what is given back beyond that is dropped
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
