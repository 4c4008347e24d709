import { combinationAt, combinationCount, NONE, rowOf } from './combinations';
import { listedCount, listedRows } from './combinations';
import { copyText, putText, Room } from './memory';
import { NumberColumn } from './number-columns';
import { order, rowCount } from './overwrite-keys';
import { RowTexts } from './row-texts';

/**
 * Native columns of the combinations, and of the CSV rows that are stored too. What a call
 * returns is valid until the next one.
 */

const gathered = new Room();
/** By combination: where its next text begins within `native`, four bytes each. */
const cursors = new Room();

/** Where the sums of each combination lie. */
export function sumCounts(column: NumberColumn): usize {
  if (combinationCount == <usize>rowCount) return numbersOf(column, false);
  const out = zeros(combinationCount);
  for (let place: usize = 0; place < <usize>rowCount; place++) {
    const to = sumOf(out, place);
    if (to != 0) store<u64>(to, load<u64>(to) + load<u64>(valueAt(column, place)));
  }
  return out;
}

/** The same of doubles, added in the order of the file. */
export function sumAmounts(column: NumberColumn): usize {
  if (combinationCount == <usize>rowCount) return numbersOf(column, false);
  const out = zeros(combinationCount);
  for (let place: usize = 0; place < <usize>rowCount; place++) {
    const to = sumOf(out, place);
    if (to != 0) store<f64>(to, load<f64>(to) + load<f64>(valueAt(column, place)));
  }
  return out;
}

function zeros(count: usize): usize {
  const out = gathered.reserve(count << 3);
  memory.fill(out, 0, count << 3);
  return out;
}

/** Where the sum is to which the row at a place belongs; 0 if it belongs to none. */
function sumOf(sums: usize, place: usize): usize {
  const combination = load<u32>(combinationAt + (place << 2));
  return combination == NONE ? 0 : sums + ((<usize>combination) << 3);
}

function valueAt(column: NumberColumn, place: usize): usize {
  return column.values.start + (rowOf(order, place) << 3);
}

/** Where the values of the listed rows lie. */
export function numbersOf(column: NumberColumn, ofCsvRows: bool): usize {
  const values = column.values.start;
  const rows = listedRows(ofCsvRows);
  if (rows == 0) return values;
  const count = listedCount(ofCsvRows);
  const out = gathered.reserve(count << 3);
  for (let i: usize = 0; i < count; i++) {
    store<u64>(out + (i << 3), load<u64>(values + (rowOf(rows, i) << 3)));
  }
  return out;
}

/** The size in bytes of what `nextTexts` or `textsOfCsvRows` wrote last. */
let written: usize = 0;

export function textBytes(): usize {
  return written;
}

/** Goes to the first text of each combination. */
export function openTexts(texts: RowTexts): void {
  const rows = listedRows(false);
  const count = listedCount(false);
  const native = texts.native.start;
  const to = cursors.reserve(count << 2);
  for (let i: usize = 0; i < count; i++) {
    const place = texts.placeOf(rowOf(rows, i));
    store<u32>(to + (i << 2), <u32>place + (load<u8>(native + place) < 0x80 ? 1 : 2));
  }
}

/**
 * Writes the next text of each combination, and goes behind it.
 *
 * @param skipped how many texts to pass over before it, which are blank in all rows
 * @param isRest whether to write all texts that are left, NUL between them
 * @returns where the Native column of them lies
 */
export function nextTexts(texts: RowTexts, skipped: i32, isRest: bool): usize {
  const rows = listedRows(false);
  const count = listedCount(false);
  const native = texts.native.start;
  const out = gathered.reserve(texts.used + (count << 1));
  let to = out;
  for (let i: usize = 0; i < count; i++) {
    const row = rowOf(rows, i);
    const cursor = cursors.start + (i << 2);
    const end = native + texts.placeOf(row + 1);
    const start = min(end, native + <usize>load<u32>(cursor) + <usize>skipped);
    const stop = isRest ? end : nulFrom(start, end);
    to = putText(to, start, stop - start);
    // The next text begins behind the NUL. Past the end of the string, it is blank.
    store<u32>(cursor, <u32>(stop + 1 - native));
  }
  written = to - out;
  return out;
}

/** Where the next NUL is, or the end. */
function nulFrom(start: usize, end: usize): usize {
  const nul = i8x16.splat(0);
  for (let at = start; at < end; at += 16) {
    const found = i8x16.bitmask(i8x16.eq(v128.load(at), nul));
    if (found != 0) return min(end, at + <usize>ctz(found));
  }
  return end;
}

/** Where the Native column of the CSV rows that are stored too lies: all texts of a row, NUL between them. */
export function textsOfCsvRows(texts: RowTexts): usize {
  const native = texts.native.start;
  const rows = listedRows(true);
  const count = listedCount(true);
  const out = gathered.reserve(texts.used);
  let to = out;
  for (let i: usize = 0; i < count; i++) {
    const row = rowOf(rows, i);
    const start = texts.placeOf(row);
    const length = texts.placeOf(row + 1) - start;
    copyText(native + start, to, length);
    to += length;
  }
  written = to - out;
  return out;
}
