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

/** Numbers of one file, held as doubles (exact up to 2^53). */
abstract class NumberColumn implements StoredColumn {
  protected values = new Float64Array(16 * 1024);
  protected rows = 0;

  abstract take(block: RowBlock, field: number, keep: boolean, report: Report): void;
  protected abstract encode(values: Float64Array): Uint8Array;

  reset(): void {
    this.rows = 0;
    if (this.values.length > 512 * 1024) this.values = new Float64Array(16 * 1024);
  }

  /** The number in a row, in the order in which rows came. */
  at(row: number): number {
    return this.values[row]!;
  }

  size(): number {
    return this.rows * 8;
  }

  write(out: Uint8Array, at: number, order: Int32Array | undefined): number {
    let values = this.values.subarray(0, this.rows);
    if (order !== undefined) {
      const ordered = new Float64Array(this.rows);
      for (let i = 0; i < order.length; i++) ordered[i] = values[order[i]!]!;
      values = ordered;
    }
    out.set(this.encode(values), at);
    return at + this.size();
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

  protected encode(values: Float64Array): Uint8Array {
    const words = new Uint32Array(values.length * 2);
    for (let i = 0; i < values.length; i++) {
      const value = values[i]!;
      words[2 * i] = value;
      words[2 * i + 1] = value / 0x1_0000_0000;
    }
    return new Uint8Array(words.buffer);
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

  protected encode(values: Float64Array): Uint8Array {
    return new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
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

  override size(): number {
    return this.rows * 2;
  }

  protected encode(values: Float64Array): Uint8Array {
    const out = new Uint8Array(values.length * 2);
    for (let i = 0; i < values.length; i++) {
      const value = values[i]!;
      if (value === ABSENT) out[i] = 1;
      else out[values.length + i] = value;
    }
    return out;
  }
}
