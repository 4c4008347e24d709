import { days } from './day-column';
import { hashKey } from './keyed-hash';
import { putText, Room, sameBytes } from './memory';
import { ends, starts } from './scanner';

/**
 * Numbers the overwrite keys of one file (a day and two texts) by first appearance, and says which key
 * each row has: an open-addressing hash table over positions in the file.
 */

/** Of a key: its hash, its day, how many rows it has, and where its texts begin and end; four bytes each. */
const HASH: usize = 0;
const DAY: usize = 4;
const ROWS: usize = 8;
const TEXT_1: usize = 12;
const TEXT_2: usize = 20;
const KEY_BYTES: usize = 28;

const keyRoom = new Room();
const keyOfRoom = new Room();
const slotRoom = new Room();
const orderRoom = new Room();
const nextRoom = new Room();
const outRoom = new Room();

let keys: usize = 0;
/** By slot: key number + 1, 0 is free. At most half full. */
let slots: usize = 0;
let slotCount: u32 = 0;
let keyCount: i32 = 0;
export let rowCount: i32 = 0;
/** Whether the rows of each key follow one another, so that the file's order is the keys' order. */
let isContiguous = true;
/** The rows in the order of their keys, file order within a key; 0: the file's own order. */
export let order: usize = 0;

/** @param expected about how many keys there will be */
export function openKeys(expected: i32): void {
  keyCount = 0;
  rowCount = 0;
  isContiguous = true;
  order = 0;
  slotCount = 1024;
  while (slotCount / 2 < <u32>expected) slotCount *= 2;
  clearSlots();
}

export function rowsOfFile(): i32 {
  return rowCount;
}

export function keysOfFile(): i32 {
  return keyCount;
}

/**
 * Finds the keys of the block's rows, whose days have been taken.
 *
 * @param first the place in the header of the key's first text, `second` of its second
 */
export function groupRows(first: i32, second: i32, width: i32, rows: i32): void {
  if (rows == 0) return;
  keys = keyRoom.reserve(<usize>(keyCount + rows) * KEY_BYTES);
  let keyOf = keyOfRoom.reserve((<usize>(rowCount + rows)) << 2) + ((<usize>rowCount) << 2);
  let key = rowCount == 0 ? -1 : load<i32>(keyOf - 4);
  let at1 = (<usize>first) << 2;
  let at2 = (<usize>second) << 2;
  const rowBytes = (<usize>width) << 2;
  for (let row = 0; row < rows; row++, at1 += rowBytes, at2 += rowBytes, keyOf += 4) {
    const start1 = load<u32>(starts + at1);
    const end1 = load<u32>(ends + at1);
    const start2 = load<u32>(starts + at2);
    const end2 = load<u32>(ends + at2);
    const day = load<i32>(days + ((<usize>row) << 2));
    // Rows of one key mostly follow one another.
    if (key < 0 || !isKey(place(key), day, start1, end1, start2, end2)) {
      const known = keyCount;
      key = find(day, start1, end1, start2, end2);
      if (key < known) isContiguous = false;
    }
    store<i32>(place(key), load<i32>(place(key), ROWS) + 1, ROWS);
    store<i32>(keyOf, key);
  }
  rowCount += rows;
}

function place(key: i32): usize {
  return keys + <usize>key * KEY_BYTES;
}

function find(day: i32, start1: u32, end1: u32, start2: u32, end2: u32): i32 {
  const hash = hashKey(day, start1, end1, start2, end2);
  let slot = hash & (slotCount - 1);
  for (;;) {
    const key = load<i32>(slots + ((<usize>slot) << 2)) - 1;
    if (key < 0) break;
    const at = place(key);
    if (load<u32>(at, HASH) == hash && isKey(at, day, start1, end1, start2, end2)) return key;
    slot = (slot + 1) & (slotCount - 1);
  }
  const key = keyCount++;
  store<i32>(slots + ((<usize>slot) << 2), key + 1);
  const at = place(key);
  store<u32>(at, hash, HASH);
  store<i32>(at, day, DAY);
  store<i32>(at, 0, ROWS);
  store<u32>(at, start1, TEXT_1);
  store<u32>(at, end1, TEXT_1 + 4);
  store<u32>(at, start2, TEXT_2);
  store<u32>(at, end2, TEXT_2 + 4);
  if (<u32>keyCount > slotCount / 2) growSlots();
  return key;
}

function isKey(at: usize, day: i32, start1: u32, end1: u32, start2: u32, end2: u32): bool {
  return (
    load<i32>(at, DAY) == day &&
    isText(load<u32>(at, TEXT_1), load<u32>(at, TEXT_1 + 4), start1, end1) &&
    isText(load<u32>(at, TEXT_2), load<u32>(at, TEXT_2 + 4), start2, end2)
  );
}

function isText(start: u32, end: u32, otherStart: u32, otherEnd: u32): bool {
  return end - start == otherEnd - otherStart && sameBytes(start, otherStart, end - start);
}

function growSlots(): void {
  slotCount *= 4;
  clearSlots();
  for (let key = 0; key < keyCount; key++) {
    let slot = load<u32>(place(key), HASH) & (slotCount - 1);
    while (load<i32>(slots + ((<usize>slot) << 2)) != 0) slot = (slot + 1) & (slotCount - 1);
    store<i32>(slots + ((<usize>slot) << 2), key + 1);
  }
}

function clearSlots(): void {
  slots = slotRoom.reserve((<usize>slotCount) << 2);
  memory.fill(slots, 0, (<usize>slotCount) << 2);
}

/** To be called once all rows are grouped, and before columns are ordered. */
export function orderRows(): void {
  if (isContiguous) return;
  order = orderRoom.reserve((<usize>rowCount) << 2);
  const next = nextRoom.reserve((<usize>keyCount) << 2);
  let before = 0;
  for (let key = 0; key < keyCount; key++) {
    store<i32>(next + ((<usize>key) << 2), before);
    before += load<i32>(place(key), ROWS);
  }
  for (let row = 0; row < rowCount; row++) {
    const key = load<u32>(keyOfRoom.start + ((<usize>row) << 2));
    const to = next + ((<usize>key) << 2);
    const place = load<u32>(to);
    store<u32>(to, place + 1);
    store<i32>(order + ((<usize>place) << 2), row);
  }
}

/** How many rows the key has. */
export function rowsOfKey(key: i32): i32 {
  return load<i32>(place(key), ROWS);
}

/** Where the Native `Date` of the keys lies, two bytes each. */
export function daysByKey(): usize {
  const out = outRoom.reserve((<usize>keyCount) << 1);
  for (let key = 0; key < keyCount; key++) {
    store<u16>(out + ((<usize>key) << 1), <u16>load<i32>(place(key), DAY));
  }
  return out;
}

/** Where the Native `String` of the keys' first or second texts lies. */
export function textsByKey(isSecond: bool): usize {
  const text = isSecond ? TEXT_2 : TEXT_1;
  let bytes: usize = 0;
  for (let key = 0; key < keyCount; key++) {
    bytes += <usize>(load<u32>(place(key) + text, 4) - load<u32>(place(key) + text)) + 2;
  }
  const out = outRoom.reserve(bytes);
  textBytes = out;
  for (let key = 0; key < keyCount; key++) {
    const start = load<u32>(place(key) + text);
    textBytes = putText(textBytes, start, load<u32>(place(key) + text, 4) - start);
  }
  textBytes -= out;
  return out;
}

/** The size of the texts that were written last. */
let textBytes: usize = 0;

export function keyTextBytes(): usize {
  return textBytes;
}
