import { hashKey } from './keyed-hash';
import { Room, sameBytes } from './memory';
import { NumberColumn } from './number-columns';
import { keysOfFile, order, rowCount, rowsOfKey } from './overwrite-keys';
import { RowTexts } from './row-texts';

/**
 * The group-by combinations of each key: its rows that agree on all texts are one combination,
 * whose numbers are summed. Reports read combinations, so that they need not group by all columns.
 *
 * Where a key's combinations are not exactly its rows, its CSV rows are stored too.
 */

/** Of a row that is in no combination: a row of zeros, where zeros delete. */
export const NONE: u32 = 0xffff_ffff;

const combinationRoom = new Room();
const firstRowRoom = new Room();
const hashRoom = new Room();
const slotRoom = new Room();
const csvRowRoom = new Room();
const countRoom = new Room();
const csvRowCountRoom = new Room();

/** By place in the order of the keys: the row's combination, or `NONE`; four bytes each. */
export let combinationAt: usize = 0;
export let combinationCount: usize = 0;
let csvRowCount: usize = 0;

/** Of the key at hand: by slot, combination + 1, 0 is free. At most half full. */
let slots: usize = 0;
let slotMask: u32 = 0;

/**
 * Finds the combinations. To be called once the rows are ordered.
 *
 * @param texts of the rows
 * @param impressions with `clicks` and `cost`: a row in which all three are 0 is in no combination;
 *   null where zeros do not delete
 */
export function findCombinations(
  texts: RowTexts,
  impressions: NumberColumn | null,
  clicks: NumberColumn | null,
  cost: NumberColumn | null,
): void {
  const keys = keysOfFile();
  const rows = <usize>rowCount;
  combinationAt = combinationRoom.reserve(rows << 2);
  const firstRows = firstRowRoom.reserve(rows << 2);
  const csvRows = csvRowRoom.reserve(rows << 2);
  hashRoom.reserve(rows << 2);
  const counts = countRoom.reserve((<usize>keys) << 2);
  const csvRowCounts = csvRowCountRoom.reserve((<usize>keys) << 2);
  let found: usize = 0;
  let kept: usize = 0;
  let place: usize = 0;
  for (let key = 0; key < keys; key++) {
    const first = found;
    const begin = place;
    const ofKey = <usize>rowsOfKey(key);
    if (ofKey > 1) openSlots(ofKey);
    for (const end = begin + ofKey; place < end; place++) {
      const row = rowOf(order, place);
      let combination = NONE;
      if (impressions == null || !isZero(row, impressions, clicks!, cost!)) {
        combination = ofKey > 1 ? find(texts, row, found) : <u32>found;
        if (combination == <u32>found) store<u32>(firstRows + (found++ << 2), <u32>row);
      }
      store<u32>(combinationAt + (place << 2), combination);
    }
    store<u32>(counts + ((<usize>key) << 2), <u32>(found - first));
    const isKept = found - first != ofKey;
    store<u32>(csvRowCounts + ((<usize>key) << 2), isKept ? <u32>ofKey : 0);
    if (!isKept) continue;
    for (let at = begin; at < place; at++)
      store<u32>(csvRows + (kept++ << 2), <u32>rowOf(order, at));
  }
  combinationCount = found;
  csvRowCount = kept;
}

/** The row at a place of a list of row numbers, four bytes each; 0: all rows in the order of the file. */
export function rowOf(list: usize, place: usize): usize {
  return list == 0 ? place : <usize>load<u32>(list + (place << 2));
}

function isZero(row: usize, first: NumberColumn, second: NumberColumn, third: NumberColumn): bool {
  return bitsOf(first, row) == 0 && bitsOf(second, row) == 0 && bitsOf(third, row) == 0;
}

/** A count, or the bits of a double, which is never minus zero. */
function bitsOf(column: NumberColumn, row: usize): u64 {
  return load<u64>(column.values.start + (row << 3));
}

function openSlots(rows: usize): void {
  let size: usize = 4;
  while (size < 2 * rows) size *= 2;
  slots = slotRoom.reserve(size << 2);
  memory.fill(slots, 0, size << 2);
  slotMask = <u32>(size - 1);
}

/** The combination of a row; `next` if it is a new one. */
function find(texts: RowTexts, row: usize, next: usize): u32 {
  const native = texts.native.start;
  const start = native + texts.placeOf(row);
  const end = native + texts.placeOf(row + 1);
  const hash = hashKey(0, start, end, end, end);
  let slot = hash & slotMask;
  for (;;) {
    const known = <usize>load<u32>(slots + ((<usize>slot) << 2));
    if (known == 0) break;
    const combination = known - 1;
    if (load<u32>(hashRoom.start + (combination << 2)) == hash) {
      const other = <usize>load<u32>(firstRowRoom.start + (combination << 2));
      const otherStart = native + texts.placeOf(other);
      if (
        native + texts.placeOf(other + 1) - otherStart == end - start &&
        sameBytes(otherStart, start, end - start)
      ) {
        return <u32>combination;
      }
    }
    slot = (slot + 1) & slotMask;
  }
  store<u32>(slots + ((<usize>slot) << 2), <u32>next + 1);
  store<u32>(hashRoom.start + (next << 2), hash);
  return <u32>next;
}

export function combinationsOfFile(): i32 {
  return <i32>combinationCount;
}

/** How many CSV rows are stored too. */
export function csvRowsOfFile(): i32 {
  return <i32>csvRowCount;
}

/** The address of the number of combinations of each key; four bytes each. */
export function combinationsByKey(): usize {
  return countRoom.start;
}

/** The address of the number of CSV rows stored too of each key, all or none; four bytes each. */
export function csvRowsByKey(): usize {
  return csvRowCountRoom.start;
}

/**
 * The rows to write, as the address of row numbers, four bytes each: the first row of each
 * combination, or the CSV rows stored too. 0: all rows in the order of the file.
 */
export function listedRows(ofCsvRows: bool): usize {
  if (ofCsvRows) return csvRowRoom.start;
  return combinationCount == <usize>rowCount ? order : firstRowRoom.start;
}

export function listedCount(ofCsvRows: bool): usize {
  return ofCsvRows ? csvRowCount : combinationCount;
}
