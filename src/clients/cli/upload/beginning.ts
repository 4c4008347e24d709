import { isUtf8 } from '../../../csv/csv-scanner.js';
import { LOOKED_AT_BYTES, spreadsheetHint } from '../../../csv/spreadsheet/hint.js';
import type { Family } from '../../../domain/families/index.js';

/** The first bytes of a file that passes by in pieces, and whether all of it is UTF-8. */
export class Beginning {
  private readonly buffer = Buffer.alloc(LOOKED_AT_BYTES);
  private length = 0;
  private isUtf8 = true;
  /** The first bytes of a character of which the others have not come yet. */
  private rest = Buffer.alloc(0);

  /** Passes the pieces on. */
  async *of(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
    for await (const piece of pieces) {
      this.length += piece.copy(this.buffer, this.length);
      this.check(piece);
      yield piece;
    }
    if (this.rest.length > 0) this.isUtf8 = false;
  }

  /** What the service says of such a file if it is not valid. */
  hint(family: Family): string | undefined {
    return spreadsheetHint(family, [this.buffer.subarray(0, this.length)], this.isUtf8);
  }

  private check(piece: Buffer): void {
    if (!this.isUtf8) return;
    const bytes = this.rest.length > 0 ? Buffer.concat([this.rest, piece]) : piece;
    const end = endOfCharacters(bytes);
    this.isUtf8 = isUtf8(bytes.subarray(0, end));
    // A piece is valid only until the next one.
    this.rest = Buffer.from(bytes.subarray(end));
  }
}

/** Where a character of UTF-8 begins that goes on behind the bytes; their length if none does. */
function endOfCharacters(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back]!;
    if (byte >> 6 === 0b10) continue;
    const length = byte < 0xc0 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
    return length > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}
