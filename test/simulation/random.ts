/** Random numbers that a text decides (sfc32): the same text gives the same numbers, on every machine. */
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

  /** Numbers of their own: how many are drawn from them changes nothing here. */
  fork(name: string): Random {
    return new Random(`${this.name}/${name}`);
  }

  /** From 0 up to, not including, 1. */
  next(): number {
    return this.word() / 2 ** 32;
  }

  /** A whole number from 0 up to, not including, `end`. */
  int(end: number): number {
    return Math.floor(this.next() * end);
  }

  /** A number from `low` up to, not including, `high`. */
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
