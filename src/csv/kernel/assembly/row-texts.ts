import { copyText, putLength, Room } from './memory';
import { ends, starts } from './scanner';

/**
 * The texts of each row as one Native string: a varint of its length, then the texts, NUL between
 * them. No text has a NUL. A row has at most 14 texts of 256 code points, 1,024 bytes, and a few
 * words and codes beside them, so the varint has at most two bytes.
 */
@unmanaged
export class RowTexts {
  native: Room = new Room();
  used: usize = 0;
  /** By row, where its string begins, and at the end where the last one ends; four bytes each. */
  places: Room = new Room();
  rows: usize = 0;

  /** Where a row's string begins within `native`; of the number of rows: where the last one ends. */
  placeOf(row: usize): usize {
    return <usize>load<u32>(this.places.start + (row << 2));
  }
}

const fields = new Room();

export function newRowTexts(): RowTexts {
  return new RowTexts();
}

/** Forgets the rows and keeps the memory. */
export function clearRowTexts(texts: RowTexts): void {
  texts.used = 0;
  texts.rows = 0;
}

/**
 * The address to write the list of a row's texts to: for each its field, and the NULs before it (at
 * most 16); four bytes each.
 */
export function roomForTextFields(count: i32): usize {
  return fields.reserve((<usize>count) << 3);
}

/**
 * Keeps the texts of the block's rows, which must be valid.
 *
 * @param count how many texts a row has
 * @param nulls how many NULs stand between them in all
 */
export function takeRowTexts(texts: RowTexts, count: i32, nulls: i32, width: i32, rows: i32): void {
  if (rows == 0) return;
  const rowBytes = (<usize>width) << 2;
  const listed = fields.start;
  const listEnd = listed + ((<usize>count) << 3);
  // The values lie apart, in the order of their fields: together they are no longer than that piece of the file.
  const piece = load<u32>(ends + <usize>rows * rowBytes - 4) - load<u32>(starts);
  const most = texts.used + <usize>piece + <usize>rows * (<usize>nulls + 2);
  const native = texts.native.reserve(most);
  let place = texts.places.reserve((texts.rows + <usize>rows + 1) << 2) + (texts.rows << 2);
  let to = native + texts.used;
  store<u32>(place, <u32>texts.used);
  let at: usize = 0;
  for (let row = 0; row < rows; row++, at += rowBytes) {
    let length = <usize>nulls;
    for (let text = listed; text < listEnd; text += 8) {
      const field = at + ((<usize>load<u32>(text)) << 2);
      length += <usize>(load<u32>(ends + field) - load<u32>(starts + field));
    }
    to = putLength(to, length);
    for (let text = listed; text < listEnd; text += 8) {
      const field = at + ((<usize>load<u32>(text)) << 2);
      const start = <usize>load<u32>(starts + field);
      const bytes = <usize>load<u32>(ends + field) - start;
      v128.store(to, i8x16.splat(0));
      to += <usize>load<u32>(text, 4);
      copyText(start, to, bytes);
      to += bytes;
    }
    place += 4;
    store<u32>(place, <u32>(to - native));
  }
  texts.used = to - native;
  texts.rows += rows;
}

/** The first text of a row if it has three bytes, as a Native string in four. */
export function firstCode(texts: RowTexts, row: usize): u32 {
  const at = texts.native.start + texts.placeOf(row);
  const text = load<u8>(at) < 0x80 ? at + 1 : at + 2;
  return (load<u32>(text) << 8) | 3;
}
