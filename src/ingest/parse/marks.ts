const { clz32 } = Math;

const COMMA = 0x2c;
/** One above the comma, in each byte of a word. */
const ABOVE = 0x2d2d2d2d;
const HIGH_BITS = 0x80808080 | 0;

/**
 * Finds the bytes that are a comma or less, four at a look: commas, quotes and line ends are, letters,
 * digits, points and dashes are not. So a field of text costs a look at every fourth of its bytes.
 *
 * Invariant: none is passed over. `word - ABOVE` borrows into a byte's highest bit exactly where the
 * byte is below 0x2d, and into that of a dash behind such a byte: what is found may be a dash. A word's
 * lowest byte comes first (little-endian), as on every machine that the engine runs on.
 */
export class Marks {
  private readonly words: Int32Array;
  /** How far the bytes begin behind a whole word of their buffer. */
  private readonly shift: number;
  /** The word that the end lies in, and its marks: the end itself is one. */
  private readonly lastWord: number;
  private readonly lastMarks: number;
  private word = 0;
  /** The highest bit of each byte of the word that is still to be found. */
  private bits = 0;

  /** @param end one past the last byte */
  constructor(bytes: Uint8Array, end: number) {
    this.shift = bytes.byteOffset & 3;
    const wordBytes = this.shift + bytes.length;
    this.words = new Int32Array(bytes.buffer, bytes.byteOffset - this.shift, wordBytes >> 2);
    this.lastWord = (end + this.shift) >> 2;
    let lastMarks = bitOf(end + this.shift);
    for (let at = Math.max(0, 4 * this.lastWord - this.shift); at < end; at++) {
      if (bytes[at]! <= COMMA) lastMarks |= bitOf(at + this.shift);
    }
    this.lastMarks = lastMarks;
  }

  /** `next` is to find nothing before this position. */
  seek(position: number): void {
    const at = position + this.shift;
    this.word = at >> 2;
    this.bits = this.bitsOf(this.word) & (-1 << ((at & 3) * 8));
  }

  /** The position of the next mark, at last the end. Not to be called beyond it. */
  next(): number {
    let bits = this.bits;
    while (bits === 0) bits = this.bitsOf(++this.word);
    this.bits = bits & (bits - 1);
    return 4 * this.word - this.shift + ((31 - clz32(bits & -bits)) >> 3);
  }

  private bitsOf(word: number): number {
    if (word >= this.lastWord) return this.lastMarks;
    const four = this.words[word]!;
    return (four - ABOVE) & ~four & HIGH_BITS;
  }
}

/** The highest bit of the byte at this place of its word. */
function bitOf(at: number): number {
  return 0x80 << ((at & 3) * 8);
}
