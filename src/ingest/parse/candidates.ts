const { clz32 } = Math;

const COMMA = 0x2c;
/** The byte above the comma, a dash, in each place of a word. */
const DASHES = 0x2d2d2d2d;
const HIGH_BITS = 0x80808080 | 0;

/**
 * Finds the bytes up to the comma, four at a look. All that may end a bare field or be wrong in it is
 * among them (comma, line feed, carriage return, quote), with spaces and a few more that whoever asks
 * passes over; letters, digits, points and dashes are not.
 *
 * Invariant: none is passed over. `word - DASHES` borrows into a byte's highest bit exactly where the
 * byte is below 0x2d, and into that of a dash behind such a byte: what is found may be a dash. A word's
 * lowest byte comes first (little-endian), as on every machine that the engine runs on.
 */
export class Candidates {
  private readonly words: Int32Array;
  /** How far the bytes begin behind a whole word of their buffer. */
  private readonly shift: number;
  /** The word that the end lies in, and its bits: the end itself has one. */
  private readonly lastWord: number;
  private readonly lastBits: number;
  private word = 0;
  /** The highest bit of each byte of the word that is still to be found. */
  private bits = 0;

  /** @param end one past the last byte */
  constructor(bytes: Uint8Array, end: number) {
    this.shift = bytes.byteOffset & 3;
    const wordBytes = this.shift + bytes.length;
    this.words = new Int32Array(bytes.buffer, bytes.byteOffset - this.shift, wordBytes >> 2);
    this.lastWord = (end + this.shift) >> 2;
    let lastBits = bitOf(end + this.shift);
    for (let at = Math.max(0, 4 * this.lastWord - this.shift); at < end; at++) {
      if (bytes[at]! <= COMMA) lastBits |= bitOf(at + this.shift);
    }
    this.lastBits = lastBits;
  }

  /** `next` is to find nothing before this position, which is at most one past the end. */
  seek(position: number): void {
    const at = position + this.shift;
    this.word = at >> 2;
    this.bits = this.bitsOf(this.word) & (-1 << ((at & 3) * 8));
  }

  /** The position of the next candidate, at last the end. Not to be called beyond it. */
  next(): number {
    let bits = this.bits;
    while (bits === 0) bits = this.bitsOf(++this.word);
    this.bits = bits & (bits - 1);
    return 4 * this.word - this.shift + ((31 - clz32(bits & -bits)) >> 3);
  }

  private bitsOf(word: number): number {
    if (word >= this.lastWord) return this.lastBits;
    const four = this.words[word]!;
    return (four - DASHES) & ~four & HIGH_BITS;
  }
}

/** The highest bit of the byte at this place of its word. */
function bitOf(at: number): number {
  return 0x80 << ((at & 3) * 8);
}
