import type { ColumnSpace } from './column-space.js';
import type { RowBlock } from '../parse/row-block.js';
import { parseBoolean } from '../validate/code-sets.js';
import { parseAmount, parseCount } from '../validate/numbers.js';
import { BROKEN } from '../validate/rules.js';
import { hasWhitespaceAtEnds } from '../validate/text.js';
import type { Report, StoredColumn } from './column.js';

/** The rule that a value broke whose kind's parser refused it. */
function brokenRule(bytes: Uint8Array, start: number, end: number): number {
  if (start === end) return BROKEN.blank;
  return hasWhitespaceAtEnds(bytes, start, end) ? BROKEN.whitespace : BROKEN.kind;
}

function bytesOf({ buffer, byteOffset, byteLength }: Uint32Array | Float64Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

/** Writes a count as Native `UInt64`, in two words, the lower one first. */
export function writeCount(words: Uint32Array, at: number, count: number): void {
  words[2 * at] = count;
  words[2 * at + 1] = count / 0x1_0000_0000;
}

/** Numbers of one file, held as doubles (exact up to 2^53). */
abstract class NumberColumn implements StoredColumn {
  protected values = new Float64Array(16 * 1024);
  protected rows = 0;

  abstract take(block: RowBlock, field: number, keep: boolean, report: Report): void;
  abstract encode(space: ColumnSpace, order: Int32Array | undefined): Uint8Array;

  reset(): void {
    this.rows = 0;
    if (this.values.length > 512 * 1024) this.values = new Float64Array(16 * 1024);
  }

  /** The number in a row, in the order in which rows came. */
  at(row: number): number {
    return this.values[row]!;
  }

  protected reserve(rows: number): Float64Array {
    if (this.rows + rows > this.values.length) {
      const grown = new Float64Array(Math.max(this.rows + rows, this.values.length * 2));
      grown.set(this.values.subarray(0, this.rows));
      this.values = grown;
    }
    return this.values;
  }
}

/** Whole numbers, Native `UInt64`. */
export class CountColumn extends NumberColumn {
  take(block: RowBlock, field: number, _keep: boolean, report: Report): void {
    const { bytes, starts, ends, width, rows } = block;
    const values = this.reserve(rows);
    for (let row = 0, at = field; row < rows; row++, at += width) {
      const value = parseCount(bytes, starts[at]!, ends[at]!);
      if (value < 0) report(row, brokenRule(bytes, starts[at]!, ends[at]!));
      values[this.rows + row] = value;
    }
    this.rows += rows;
  }

  encode(space: ColumnSpace, order: Int32Array | undefined): Uint8Array {
    const { values, rows } = this;
    const words = space.words(rows * 2);
    for (let i = 0; i < rows; i++) {
      const value = values[order === undefined ? i : order[i]!]!;
      writeCount(words, i, value);
    }
    return bytesOf(words);
  }
}

/** Decimal numbers, Native `Float64`. */
export class AmountColumn extends NumberColumn {
  take(block: RowBlock, field: number, _keep: boolean, report: Report): void {
    const { bytes, starts, ends, width, rows } = block;
    const values = this.reserve(rows);
    for (let row = 0, at = field; row < rows; row++, at += width) {
      const value = parseAmount(bytes, starts[at]!, ends[at]!);
      if (Number.isNaN(value)) report(row, brokenRule(bytes, starts[at]!, ends[at]!));
      values[this.rows + row] = value;
    }
    this.rows += rows;
  }

  encode(space: ColumnSpace, order: Int32Array | undefined): Uint8Array {
    const { values, rows } = this;
    const out = space.doubles(rows);
    if (order === undefined) out.set(values.subarray(0, rows));
    else for (let i = 0; i < rows; i++) out[i] = values[order[i]!]!;
    return bytesOf(out);
  }
}

const ABSENT = 2;

/** `true`, `false` or blank, Native `Nullable(Bool)`: a byte a row that says whether it is null, then the values. */
export class BooleanColumn extends NumberColumn {
  take(block: RowBlock, field: number, _keep: boolean, report: Report): void {
    const { bytes, starts, ends, width, rows } = block;
    const values = this.reserve(rows);
    for (let row = 0, at = field; row < rows; row++, at += width) {
      const start = starts[at]!;
      const end = ends[at]!;
      const value = start === end ? ABSENT : parseBoolean(bytes, start, end);
      if (value < 0) report(row, brokenRule(bytes, start, end));
      values[this.rows + row] = value;
    }
    this.rows += rows;
  }

  encode(space: ColumnSpace, order: Int32Array | undefined): Uint8Array {
    const { values, rows } = this;
    const out = space.bytes(rows * 2);
    for (let i = 0; i < rows; i++) {
      const value = values[order === undefined ? i : order[i]!]!;
      const isNull = value === ABSENT;
      out[i] = isNull ? 1 : 0;
      out[rows + i] = isNull ? 0 : value;
    }
    return out;
  }
}
