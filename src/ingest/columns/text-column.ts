import type { ColumnSpace } from './column-space.js';
import type { RowBlock } from '../parse/row-block.js';
import { BROKEN } from '../validate/rules.js';
import type { CheckedColumn, Report, StoredColumn } from './column.js';
import { copyBytes, viewOf } from './copy-bytes.js';
import type { TextRule } from './text-rules.js';

/** A text column of the overwrite key: checked only, its values are stored once a key. */
export class KeyTextColumn implements CheckedColumn {
  constructor(private readonly rule: TextRule) {}

  take(block: RowBlock, field: number, _keep: boolean, report: Report): void {
    const { bytes, starts, ends, width, rows } = block;
    for (let row = 0, at = field; row < rows; row++, at += width) {
      const start = starts[at]!;
      const end = ends[at]!;
      const broken = start === end ? BROKEN.blank : this.rule(bytes, start, end);
      if (broken !== BROKEN.none) report(row, broken);
    }
  }
}

/**
 * A text column as Native strings: for each row a varint of the length, then the bytes.
 *
 * Invariant: `buffer[0, used)` is the Native column of the rows so far. A value is at most 256 code
 * points, so 1024 bytes, so its length takes at most two bytes.
 */
export class TextColumn implements StoredColumn {
  private buffer: Uint8Array<ArrayBuffer> = new Uint8Array(64 * 1024);
  private view = viewOf(this.buffer);
  private used = 0;
  private rows = 0;

  constructor(
    private readonly rule: TextRule,
    private readonly mayBeBlank: boolean,
  ) {}

  reset(): void {
    this.used = 0;
    this.rows = 0;
    if (this.buffer.length > 4 * 1024 * 1024) this.use(new Uint8Array(64 * 1024));
  }

  take(block: RowBlock, field: number, keep: boolean, report: Report): void {
    const { bytes, view, starts, ends, width, rows } = block;
    let kept = keep;
    let out: Uint8Array = this.buffer;
    let used = this.used;
    for (let row = 0, at = field; row < rows; row++, at += width) {
      const start = starts[at]!;
      const end = ends[at]!;
      if (start === end) {
        if (!this.mayBeBlank) report(row, BROKEN.blank);
        else if (kept) {
          if (used === out.length) out = this.grow(used + 1, used);
          out[used++] = 0;
        }
        continue;
      }
      const broken = this.rule(bytes, start, end);
      if (broken !== BROKEN.none) {
        report(row, broken);
        kept = false;
      } else if (kept) {
        const length = end - start;
        if (used + length + 2 > out.length) out = this.grow(used + length + 2, used);
        if (length < 0x80) out[used++] = length;
        else {
          out[used++] = (length & 0x7f) | 0x80;
          out[used++] = length >> 7;
        }
        used = copyBytes(view, start, end, this.view, used);
      }
    }
    this.used = used;
    this.rows += rows;
  }

  /** The Native column in the file's order; valid until the next `take` or `reset`. */
  native(): Uint8Array {
    return this.buffer.subarray(0, this.used);
  }

  encode(space: ColumnSpace, order: Int32Array | undefined): Uint8Array {
    const out = space.bytes(this.used);
    if (order === undefined) {
      out.set(this.native());
      return out;
    }
    const { view } = this;
    const outView = viewOf(out);
    const positions = this.positions();
    let to = 0;
    for (let i = 0; i < order.length; i++) {
      const row = order[i]!;
      to = copyBytes(view, positions[row]!, positions[row + 1]!, outView, to);
    }
    return out;
  }

  /** Where each row's value begins, and at the end where the last one ends. */
  private positions(): Int32Array {
    const { buffer, rows } = this;
    const positions = new Int32Array(rows + 1);
    let at = 0;
    for (let row = 0; row < rows; row++) {
      positions[row] = at;
      let length = buffer[at++]!;
      if (length >= 0x80) length = (length & 0x7f) | (buffer[at++]! << 7);
      at += length;
    }
    positions[rows] = at;
    return positions;
  }

  private grow(needed: number, used: number): Uint8Array<ArrayBuffer> {
    const grown = new Uint8Array(Math.max(needed, this.buffer.length * 2));
    grown.set(this.buffer.subarray(0, used));
    this.use(grown);
    return grown;
  }

  private use(buffer: Uint8Array<ArrayBuffer>): void {
    this.buffer = buffer;
    this.view = viewOf(buffer);
  }
}
