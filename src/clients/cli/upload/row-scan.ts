import { Kernel } from '../../../csv/kernel/kernel.js';
import type { RowFault } from '../../../csv/kernel/codes.js';
import { CsvScanner } from '../../../csv/csv-scanner.js';
import { MAX_HEADER_FIELDS } from '../../../csv/upload-columns.js';

/** No row of a valid file is nearly as long: every value has at most 256 characters. */
const MAX_ROW_BYTES = 1_048_576;

const LF = 0x0a;
const CR = 0x0d;

/** A row of a file, valid until the next one is taken. The header is row 1. */
export interface ScannedRow {
  readonly number: number;
  /** Where it stands in `raw`, without its line break. */
  readonly from: number;
  readonly to: number;
  readonly raw: Buffer;
  /** How many fields it has; `starts` and `ends` hold the first `MAX_HEADER_FIELDS`. */
  readonly fields: number;
  /** The field's value lies in `values`, where doubled quotes are folded. */
  readonly starts: Int32Array;
  readonly ends: Int32Array;
  readonly values: Buffer;
  /** One of `row-fault`. */
  readonly fault: RowFault;
}

/** A row longer than `MAX_ROW_BYTES`; nothing after it can be read. */
export class EndlessRowError extends Error {
  constructor(readonly row: number) {
    super(`row ${row}: is longer than ${MAX_ROW_BYTES} bytes, maybe a quoted field is not closed`);
  }
}

/**
 * Finds the rows of a file that comes in pieces, exactly as the service finds them.
 *
 * The scanner folds quotes in its own copy of the bytes, and an incomplete row is scanned again
 * from its raw bytes once more have come.
 *
 * @throws EndlessRowError
 */
export async function scanRows(
  pieces: AsyncIterable<Buffer>,
  take: (row: ScannedRow) => void,
): Promise<void> {
  const scan = new RowScan(take);
  for await (const piece of pieces) scan.add(piece);
  scan.end();
}

class RowScan {
  private raw = Buffer.allocUnsafe(2 * MAX_ROW_BYTES);
  private readonly scanner = new CsvScanner(new Kernel(), MAX_HEADER_FIELDS);
  private length = 0;
  private rows = 0;
  private isAtStart = true;

  constructor(private readonly take: (row: ScannedRow) => void) {}

  add(piece: Buffer): void {
    if (this.length + piece.length > this.raw.length) this.grow(this.length + piece.length);
    piece.copy(this.raw, this.length);
    this.length += piece.length;
    this.drain(false);
    if (this.length > MAX_ROW_BYTES) throw new EndlessRowError(this.rows + 1);
  }

  end(): void {
    this.drain(true);
  }

  private drain(isLast: boolean): void {
    const { raw, scanner, length } = this;
    const { starts, ends } = scanner;
    let rest = this.afterByteOrderMark(isLast);
    if (rest === undefined) return;
    scanner.open([raw.subarray(0, length)], rest);
    const { buffer, byteOffset } = scanner.bytes;
    const values = Buffer.from(buffer, byteOffset, length);
    for (;;) {
      const from = scanner.nextRowAt;
      const fields = scanner.next();
      const next = scanner.nextRowAt;
      // A row that ends with the bytes may go on, and an empty last line may not be the last.
      if (fields === 0 || (!isLast && next > length)) {
        rest = isLast ? length : from;
        break;
      }
      let to = Math.min(next, length);
      if (next <= length && raw[to - 1] === LF) {
        to--;
        if (to > from && raw[to - 1] === CR) to--;
      }
      this.rows++;
      const { fault } = scanner;
      this.take({ number: this.rows, from, to, raw, fields, starts, ends, values, fault });
    }
    raw.copyWithin(0, rest, length);
    this.length -= rest;
  }

  /** Where the rows begin in `raw`; undefined while it is not known. */
  private afterByteOrderMark(isLast: boolean): number | undefined {
    if (!this.isAtStart) return 0;
    if (this.length < 3 && !isLast) return undefined;
    this.isAtStart = false;
    const { raw } = this;
    return this.length >= 3 && raw[0] === 0xef && raw[1] === 0xbb && raw[2] === 0xbf ? 3 : 0;
  }

  private grow(size: number): void {
    const grown = Buffer.allocUnsafe(2 * size);
    this.raw.copy(grown, 0, 0, this.length);
    this.raw = grown;
  }
}
