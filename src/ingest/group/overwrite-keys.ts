import type { RowBlock } from '../parse/row-block.js';
import { hashKey } from './keyed-hash.js';

/** Memory for more than this is given back before the next file: few files are that large. */
const LARGE_ROWS = 512 * 1024;
const LARGE_KEYS = 64 * 1024;

/**
 * Numbers the overwrite keys of one file (a day and two texts), and says which key each row has.
 *
 * An open-addressing hash table over positions in the file's bytes; no string is made. Keys are
 * numbered by first appearance.
 */
export class OverwriteKeys {
  /** How many keys there are. */
  count = 0;
  rows = 0;
  /** Whether the rows of each key follow one another, so that the file's order is the keys' order. */
  contiguous = true;
  /** By row: its key. */
  keyOf = new Int32Array(16 * 1024);
  /** By key: its rows, its day, and where its texts lie in the file. */
  rowsOf = new Int32Array(1024);
  day = new Int32Array(1024);
  start1 = new Int32Array(1024);
  end1 = new Int32Array(1024);
  start2 = new Int32Array(1024);
  end2 = new Int32Array(1024);
  private hash = new Int32Array(1024);
  /** Key number + 1 by slot; 0 is free. At most half full. */
  private slots = new Int32Array(4096);

  reset(): void {
    this.count = 0;
    this.rows = 0;
    this.contiguous = true;
    if (this.keyOf.length > LARGE_ROWS) this.keyOf = new Int32Array(16 * 1024);
    if (this.hash.length > LARGE_KEYS) this.resizeKeys(1024);
    if (this.slots.length > 4 * LARGE_KEYS) this.slots = new Int32Array(4096);
    else this.slots.fill(0);
  }

  /**
   * @param days the block's days
   * @param field1 the place in the header of the key's first text, `field2` of its second
   */
  take(block: RowBlock, days: Int32Array, field1: number, field2: number): void {
    const { view, starts, ends, width, rows } = block;
    if (this.rows + rows > this.keyOf.length) {
      this.keyOf = resized(this.keyOf, Math.max(this.rows + rows, this.keyOf.length * 2));
    }
    let previous = this.rows > 0 ? this.keyOf[this.rows - 1]! : -1;
    for (let row = 0, at = 0; row < rows; row++, at += width) {
      const start1 = starts[at + field1]!;
      const end1 = ends[at + field1]!;
      const start2 = starts[at + field2]!;
      const end2 = ends[at + field2]!;
      const day = days[row]!;
      // Rows of one key mostly follow one another.
      if (previous < 0 || !this.is(previous, view, day, start1, end1, start2, end2)) {
        const known = this.count;
        const key = this.find(view, day, start1, end1, start2, end2);
        if (key < known) this.contiguous = false;
        previous = key;
      }
      this.rowsOf[previous]!++;
      this.keyOf[this.rows++] = previous;
    }
  }

  /** The rows in the order of their keys, file order within a key; undefined: the file's own order. */
  order(): Int32Array | undefined {
    if (this.contiguous) return undefined;
    const next = new Int32Array(this.count);
    for (let key = 1; key < this.count; key++) next[key] = next[key - 1]! + this.rowsOf[key - 1]!;
    const order = new Int32Array(this.rows);
    for (let row = 0; row < this.rows; row++) order[next[this.keyOf[row]!]!++] = row;
    return order;
  }

  private find(
    view: DataView,
    day: number,
    start1: number,
    end1: number,
    start2: number,
    end2: number,
  ): number {
    const hash = hashKey(view, day, start1, end1, start2, end2);
    const mask = this.slots.length - 1;
    let slot = hash & mask;
    for (;;) {
      const key = this.slots[slot]! - 1;
      if (key < 0) break;
      if (this.hash[key] === hash && this.is(key, view, day, start1, end1, start2, end2))
        return key;
      slot = (slot + 1) & mask;
    }
    const key = this.count++;
    if (key === this.hash.length) this.resizeKeys(this.hash.length * 2);
    this.slots[slot] = key + 1;
    this.hash[key] = hash;
    this.day[key] = day;
    this.start1[key] = start1;
    this.end1[key] = end1;
    this.start2[key] = start2;
    this.end2[key] = end2;
    this.rowsOf[key] = 0;
    if (this.count * 2 > this.slots.length) this.growSlots();
    return key;
  }

  private is(
    key: number,
    view: DataView,
    day: number,
    start1: number,
    end1: number,
    start2: number,
    end2: number,
  ): boolean {
    return (
      this.day[key] === day &&
      sameBytes(view, this.start1[key]!, this.end1[key]!, start1, end1) &&
      sameBytes(view, this.start2[key]!, this.end2[key]!, start2, end2)
    );
  }

  private resizeKeys(size: number): void {
    this.hash = resized(this.hash, size);
    this.rowsOf = resized(this.rowsOf, size);
    this.day = resized(this.day, size);
    this.start1 = resized(this.start1, size);
    this.end1 = resized(this.end1, size);
    this.start2 = resized(this.start2, size);
    this.end2 = resized(this.end2, size);
  }

  private growSlots(): void {
    const slots = new Int32Array(this.slots.length * 4);
    const mask = slots.length - 1;
    for (let key = 0; key < this.count; key++) {
      let slot = this.hash[key]! & mask;
      while (slots[slot] !== 0) slot = (slot + 1) & mask;
      slots[slot] = key + 1;
    }
    this.slots = slots;
  }
}

function resized(array: Int32Array, size: number): Int32Array<ArrayBuffer> {
  const other = new Int32Array(size);
  other.set(array.subarray(0, size));
  return other;
}

function sameBytes(
  view: DataView,
  startA: number,
  endA: number,
  startB: number,
  endB: number,
): boolean {
  if (endA - startA !== endB - startB) return false;
  const lastA = endA - 4;
  if (lastA < startA) {
    for (let a = startA, b = startB; a < endA; a++, b++) {
      if (view.getUint8(a) !== view.getUint8(b)) return false;
    }
    return true;
  }
  // The last four bytes overlap the ones before.
  for (let a = startA, b = startB; a < lastA; a += 4, b += 4) {
    if (view.getInt32(a, true) !== view.getInt32(b, true)) return false;
  }
  return view.getInt32(lastA, true) === view.getInt32(endB - 4, true);
}
