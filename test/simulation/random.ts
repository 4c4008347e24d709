/** Random numbers seeded by a text (sfc32): the same text gives the same numbers everywhere. */
export class Random {
  private readonly state: Uint32Array;

  constructor(readonly name: string) {
    this.state = new Uint32Array([0x9e3779b9, 0x243f6a88, 0xb7e15162, 1]);
    for (const letter of name) {
      this.state[0] = Math.imul(this.state[0]! ^ letter.codePointAt(0)!, 0x01000193);
      this.next();
    }
    for (let i = 0; i < 12; i++) this.next();
  }

  /** An independent generator: drawing from it does not change this one. */
  fork(name: string): Random {
    return new Random(`${this.name}/${name}`);
  }

  /** A number from 0 (inclusive) to 1 (exclusive). */
  next(): number {
    return this.word() / 2 ** 32;
  }

  /** An integer from 0 (inclusive) to `end` (exclusive). */
  int(end: number): number {
    return Math.floor(this.next() * end);
  }

  /** A number from `low` (inclusive) to `high` (exclusive). */
  between(low: number, high: number): number {
    return low + this.next() * (high - low);
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(items: readonly T[]): T {
    return items[this.int(items.length)]!;
  }

  bytes(count: number): Buffer<ArrayBuffer> {
    const bytes = Buffer.alloc(count);
    for (let i = 0; i < count; i++) bytes[i] = this.word() & 0xff;
    return bytes;
  }

  private word(): number {
    const { state } = this;
    const [a, b, c, counter] = state as unknown as [number, number, number, number];
    const word = (a + b + counter) >>> 0;
    state[3] = counter + 1;
    state[0] = b ^ (b >>> 9);
    state[1] = c + (c << 3);
    state[2] = ((c << 21) | (c >>> 11)) + word;
    return word;
  }
}
