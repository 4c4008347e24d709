/**
 * A position in bytes that come in chunks. Its methods are generators: one stops where the bytes
 * end, and goes on after `feed`. Passed bytes, and those put between them, are held until they are
 * released.
 */
export class Cursor {
  private chunk: Buffer = Buffer.alloc(0);
  private position = 0;
  /** Where in the chunk the bytes begin that are not in `held` yet. */
  private start = 0;
  private held: Buffer[] = [];
  private released: Buffer[] = [];
  /** Of chunks that came before. */
  heldBytes = 0;

  /** Only when the chunk before is empty. */
  feed(chunk: Buffer): void {
    this.hold();
    this.chunk = chunk;
    this.position = 0;
    this.start = 0;
  }

  get isEmpty(): boolean {
    return this.position === this.chunk.length;
  }

  /** Inserts bytes before those that come next. */
  insert(bytes: Buffer): void {
    this.hold();
    this.held.push(bytes);
  }

  release(): void {
    this.hold();
    this.released.push(...this.held.splice(0));
    this.heldBytes = 0;
  }

  takeReleased(): Buffer[] {
    return this.released.splice(0);
  }

  private hold(): void {
    if (this.start === this.position) return;
    this.held.push(this.chunk.subarray(this.start, this.position));
    this.heldBytes += this.position - this.start;
    this.start = this.position;
  }

  *skip(count: number): Generator<void, void> {
    let left = count;
    for (;;) {
      const step = Math.min(left, this.chunk.length - this.position);
      this.position += step;
      left -= step;
      if (left === 0) return;
      yield;
    }
  }

  *varint(): Generator<void, number> {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      while (this.isEmpty) yield;
      const byte = this.chunk[this.position++]!;
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
    }
  }

  /** Passes this many texts, each after its length. */
  *skipStrings(count: number): Generator<void, void> {
    for (let index = 0; index < count; index++) {
      const { chunk, position } = this;
      // Nearly all are short and lie within the chunk.
      const length = chunk[position];
      if (length !== undefined && length < 0x80 && position + length < chunk.length) {
        this.position += 1 + length;
      } else {
        yield* this.skip(yield* this.varint());
      }
    }
  }

  /** Counts stay far below 2^53; of flags only the low bits are asked for. */
  *uint64(): Generator<void, number> {
    const bytes = yield* this.bytes(8);
    return bytes.readUInt32LE(0) + bytes.readUInt32LE(4) * 2 ** 32;
  }

  *text(length: number): Generator<void, string> {
    return (yield* this.bytes(length)).toString('utf8');
  }

  private *bytes(count: number): Generator<void, Buffer> {
    const parts: Buffer[] = [];
    for (let left = count; left > 0;) {
      while (this.isEmpty) yield;
      const part = this.chunk.subarray(this.position, this.position + left);
      parts.push(part);
      this.position += part.length;
      left -= part.length;
    }
    return parts.length === 1 ? parts[0]! : Buffer.concat(parts);
  }
}
