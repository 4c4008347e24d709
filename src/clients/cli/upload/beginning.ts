import { isUtf8 } from '../../../csv/csv-scanner.js';
import { LOOKED_AT_BYTES, spreadsheetHint } from '../../../csv/spreadsheet/hint.js';
import type { Family } from '../../../domain/families/index.js';

const LF = 0x0a;

/** The first bytes of a file that passes by in pieces. */
export class Beginning {
  private readonly buffer = Buffer.alloc(LOOKED_AT_BYTES);
  private length = 0;

  /** Passes the pieces on. */
  async *of(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
    for await (const piece of pieces) {
      this.length += piece.copy(this.buffer, this.length);
      yield piece;
    }
  }

  /** What the service says of such a file if it is not valid, as far as these bytes tell. */
  hint(family: Family): string | undefined {
    const bytes = this.buffer.subarray(0, this.length);
    const isCut = this.length === this.buffer.length;
    // The last line may end within a character.
    const lines = isCut ? bytes.subarray(0, bytes.lastIndexOf(LF) + 1) : bytes;
    return spreadsheetHint(family, [bytes], isUtf8(lines));
  }
}
