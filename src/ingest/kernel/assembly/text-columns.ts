import * as BROKEN from '../../validate/broken';
import { report } from './host';
import { copyText, endOfText, putText, Room } from './memory';
import { order, rowCount } from './overwrite-keys';
import { ends, starts } from './scanner';
import { TextRule } from './texts';

/**
 * A text column: what it takes, and the Native column of the rows so far, for each a varint of its
 * length, then its bytes.
 */
@unmanaged
export class TextColumn {
  rule: TextRule = new TextRule();
  mayBeBlank: bool = false;
  native: Room = new Room();
  used: usize = 0;
}

const gathered = new Room();
const places = new Room();

export function newTextColumn(
  kind: i32,
  letters: i32,
  firstLetter: i32,
  mayBeBlank: bool,
): TextColumn {
  const column = new TextColumn();
  column.rule.kind = kind;
  column.rule.letters = letters;
  column.rule.firstLetter = <u8>firstLetter;
  column.mayBeBlank = mayBeBlank;
  return column;
}

/** Where the rule's table of so many bytes is to be written to. */
export function roomForTable(column: TextColumn, bytes: usize): usize {
  const start = column.rule.table.reserve(bytes);
  column.rule.tableEnd = start + bytes;
  return start;
}

/** Forgets the values and keeps the memory. */
export function clearTexts(column: TextColumn): void {
  column.used = 0;
}

/** Checks the values in a field of the block's rows. */
export function checkTexts(column: TextColumn, field: i32, width: i32, rows: i32): void {
  const rowBytes = (<usize>width) << 2;
  let at = (<usize>field) << 2;
  for (let row = 0; row < rows; row++, at += rowBytes) {
    const start = <usize>load<u32>(starts + at);
    const end = <usize>load<u32>(ends + at);
    const broken = start == end ? blank(column) : column.rule.broken(start, end);
    if (broken != BROKEN.none) report(row, broken);
  }
}

/** Checks and keeps them; the column is of no use any more once a value was reported. */
export function takeTexts(column: TextColumn, field: i32, width: i32, rows: i32): void {
  if (rows == 0) return;
  const rowBytes = (<usize>width) << 2;
  let at = (<usize>field) << 2;
  // The values lie apart, in the order of their rows: together they are no longer than that piece of the file.
  const piece = load<u32>(ends + at + <usize>(rows - 1) * rowBytes) - load<u32>(starts + at);
  const native = column.native.reserve(column.used + <usize>piece + 2 * <usize>rows);
  let to = native + column.used;
  for (let row = 0; row < rows; row++, at += rowBytes) {
    const start = <usize>load<u32>(starts + at);
    const end = <usize>load<u32>(ends + at);
    if (start == end) {
      store<u8>(to++, 0);
      if (!column.mayBeBlank) report(row, BROKEN.blank);
      continue;
    }
    const broken = column.rule.broken(start, end);
    if (broken == BROKEN.none) to = putText(to, start, end - start);
    else report(row, broken);
  }
  column.used = to - native;
}

function blank(column: TextColumn): i32 {
  return column.mayBeBlank ? BROKEN.none : BROKEN.blank;
}

/** The size of the Native column in bytes. */
export function textBytes(column: TextColumn): usize {
  return column.used;
}

/** Where the Native column lies, with the rows in the order of their keys. */
export function orderedTexts(column: TextColumn): usize {
  const native = column.native.start;
  if (order == 0) return native;
  const place = placesOf(column);
  const out = gathered.reserve(column.used);
  let to = out;
  for (let i: usize = 0; i < <usize>rowCount; i++) {
    const row = place + ((<usize>load<u32>(order + (i << 2))) << 2);
    const start = <usize>load<u32>(row);
    const length = <usize>load<u32>(row, 4) - start;
    copyText(start, to, length);
    to += length;
  }
  return out;
}

/** Where each row's value begins, and at the end where the last one ends. */
function placesOf(column: TextColumn): usize {
  const place = places.reserve((<usize>rowCount + 1) << 2);
  let at = column.native.start;
  for (let row: usize = 0; row < <usize>rowCount; row++) {
    store<u32>(place + (row << 2), <u32>at);
    at = endOfText(at);
  }
  store<u32>(place + ((<usize>rowCount) << 2), <u32>at);
  return place;
}
