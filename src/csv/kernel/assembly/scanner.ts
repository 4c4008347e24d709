import { RowFault } from '../codes';
import { Room, SLACK } from './memory';

/**
 * Finds the fields of CSV rows (RFC 4180, comma, LF or CRLF) in the bytes of one file.
 *
 * Invariant: the scanner moves forward only; a quoted field's doubled quotes are folded in place, which
 * shortens the field and never touches what lies behind it. So time is linear in the bytes whatever
 * they are, and `[start, end)` is always a field's value.
 */

const COMMA: u8 = 0x2c;
const QUOTE: u8 = 0x22;
const LF: u8 = 0x0a;
const CR: u8 = 0x0d;

const file = new Room();
const positions = new Room();
/** One past the last byte. Line feeds stand behind it, so that there is always a candidate. */
let end: usize = 0;
let position: usize = 0;
/** The 64 bytes being searched, and a bit for each candidate not yet visited. */
let window: usize = 0;
let candidates: u64 = 0;
/** Of the row that was found last. */
let fault = RowFault.none;
let fields = 0;

/** Where each field of the block's rows begins and ends, as addresses: row after row. */
export let starts: usize = 0;
export let ends: usize = 0;

/** Where a file of so many bytes is to be written to. */
export function roomForFile(bytes: usize): usize {
  return file.reserve(bytes);
}

/**
 * Begins with the file that was written to its room.
 *
 * @param from where its header begins (after a byte order mark)
 */
export function openFile(from: usize, bytes: usize): void {
  end = file.start + bytes;
  memory.fill(end, LF, SLACK);
  position = file.start + from;
  window = position;
  candidates = candidatesFrom(window);
}

/** Makes room for the positions of so many fields, behind which there are none of an earlier block. */
export function roomForFields(count: usize): void {
  starts = positions.reserve(8 * count);
  ends = starts + 4 * count;
}

export function startsAt(): usize {
  return starts;
}

export function endsAt(): usize {
  return ends;
}

/** The fault of the row at which `nextRows` ended, and how many fields it has (0 at the end of the file). */
export function lastFault(): i32 {
  return fault;
}

export function lastFields(): i32 {
  return fields;
}

/** Where the next row begins: one past the last line feed, beyond the end when the last row had none. */
export function nextRowAt(): usize {
  return position - file.start;
}

/**
 * Finds up to `rows` rows and writes where their fields lie, from the block's row `row` on. Ends
 * behind the first one that has a fault or not `width` fields, which is not counted.
 *
 * @param stored how many fields of a row the block has at most
 */
export function nextRows(row: i32, stored: i32, width: i32, rows: i32): i32 {
  let at = (<usize>(row * stored)) << 2;
  for (let found = 0; found < rows; found++, at += (<usize>stored) << 2) {
    fault = RowFault.none;
    fields = 0;
    if (position >= end || isEmptyLastLine()) return found;
    nextRow(starts + at, ends + at, stored);
    if (fault != RowFault.none || fields != width) return found;
  }
  return rows;
}

function nextRow(startTo: usize, endTo: usize, stored: i32): void {
  const last = end;
  let at = position;
  let from = window;
  let found = candidates;
  let count = 0;
  let byte: u8;
  do {
    let start = at;
    let stop: usize;
    byte = at < last ? load<u8>(at) : LF;
    if (byte == QUOTE) {
      start = at + 1;
      stop = closeQuote(start);
      byte = afterQuote();
      at = position;
      from = at + 1;
      found = candidatesFrom(from);
    } else {
      do {
        while (found == 0) {
          from += 64;
          found = candidatesFrom(from);
        }
        at = min(last, from + <usize>ctz(found));
        found &= found - 1;
        byte = load<u8>(at);
      } while (byte != COMMA && byte != LF && passOver(byte, at));
      stop = at;
      if (byte == LF && at < last && stop > start && load<u8>(stop - 1) == CR) stop--;
    }
    if (count < stored) {
      store<u32>(startTo, <u32>start);
      store<u32>(endTo, <u32>stop);
      startTo += 4;
      endTo += 4;
    }
    count++;
    at++;
  } while (byte != LF);
  fields = count;
  position = at;
  window = from;
  candidates = found;
}

/** Passes over a candidate that ends no field, and notes it if it may not stand there. */
function passOver(byte: u8, at: usize): bool {
  if (byte == QUOTE) note(RowFault.strayQuote);
  else if (byte == CR && !isLineFeed(at + 1)) note(RowFault.bareCarriageReturn);
  return true;
}

/**
 * A bit for each of 64 bytes that is a candidate: those up to the comma. All that may end a bare field
 * or be wrong in it is among them; letters, digits, points and dashes are not.
 */
function candidatesFrom(from: usize): u64 {
  const comma = i8x16.splat(COMMA);
  return (
    (<u64>i8x16.bitmask(i8x16.le_u(v128.load(from), comma))) |
    ((<u64>i8x16.bitmask(i8x16.le_u(v128.load(from, 16), comma))) << 16) |
    ((<u64>i8x16.bitmask(i8x16.le_u(v128.load(from, 32), comma))) << 32) |
    ((<u64>i8x16.bitmask(i8x16.le_u(v128.load(from, 48), comma))) << 48)
  );
}

/**
 * Reads a quoted field's value from `start` and folds its doubled quotes. Moves behind the closing
 * quote. A quote stands at the value's end: what was folded could pass for the rest of its last
 * character.
 *
 * @returns the end of the value
 */
function closeQuote(start: usize): usize {
  let read = quoteFrom(start);
  let write = read;
  while (read < end) {
    if (load<u8>(read) == QUOTE) {
      if (read + 1 >= end || load<u8>(read, 1) != QUOTE) {
        position = read + 1;
        store<u8>(write, QUOTE);
        return write;
      }
      read++;
    }
    store<u8>(write++, load<u8>(read++));
  }
  note(RowFault.unclosedQuote);
  position = end;
  return write;
}

/** Where the next quote is, or the end. */
function quoteFrom(start: usize): usize {
  const quote = i8x16.splat(QUOTE);
  for (let at = start; at < end; at += 16) {
    const found = i8x16.bitmask(i8x16.eq(v128.load(at), quote));
    if (found != 0) return min(end, at + <usize>ctz(found));
  }
  return end;
}

/** Moves to the comma or line feed behind a closing quote, and returns it. */
function afterQuote(): u8 {
  if (position >= end) return LF;
  const byte = load<u8>(position);
  if (byte == COMMA || byte == LF) return byte;
  if (byte == CR && isLineFeed(position + 1)) {
    position++;
    return LF;
  }
  note(RowFault.textAfterQuote);
  for (; position < end; position++) {
    const after = load<u8>(position);
    if (after == COMMA || after == LF) return after;
  }
  return LF;
}

/** Of several empty lines at the end of the file, only the last is not a row. */
function isEmptyLastLine(): bool {
  const byte = load<u8>(position);
  if (byte == LF) return position + 1 == end;
  return byte == CR && isLineFeed(position + 1) && position + 2 == end;
}

function isLineFeed(at: usize): bool {
  return at < end && load<u8>(at) == LF;
}

/** The first fault of a row is the one kept. */
function note(found: i32): void {
  if (fault == RowFault.none) fault = found;
}
