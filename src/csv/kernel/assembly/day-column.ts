import { BrokenRule } from '../codes';
import { report } from './host';
import { Room } from './memory';
import { ends, starts } from './scanner';
import { notOfKind } from './texts';

/** The last day that the warehouse holds, 2149-06-06. */
const LAST_DAY = 65_535;
const DASH: u8 = 0x2d;
const NOT_A_DAY = -1;
const OUT_OF_RANGE = -2;

const MONTH_LENGTHS = memory.data<u8>([31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]);
/** Days before each month of a common year. */
const DAYS_BEFORE = memory.data<i32>([0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334]);

const room = new Room();
/** Day counts since 1970-01-01 of the block's rows, four bytes each. */
export let days: usize = 0;

/** Checks the dates in a field of the block's rows, which are to lie between two days, both included. */
export function takeDays(field: i32, width: i32, rows: i32, first: i32, last: i32): void {
  days = room.reserve((<usize>rows) << 2);
  const rowBytes = (<usize>width) << 2;
  let at = (<usize>field) << 2;
  for (let row = 0; row < rows; row++, at += rowBytes) {
    const start = <usize>load<u32>(starts + at);
    const end = <usize>load<u32>(ends + at);
    const day = dayOf(start, end);
    if (day == NOT_A_DAY) report(row, notOfKind(start, end));
    else if (day == OUT_OF_RANGE) report(row, BrokenRule.dateRange);
    else if (day < first || day > last) report(row, BrokenRule.dateWindow);
    store<i32>(days + ((<usize>row) << 2), day);
  }
}

/** The day count since 1970-01-01 of `YYYY-MM-DD`, or one of the negative answers above. */
function dayOf(start: usize, end: usize): i32 {
  if (end - start != 10 || load<u8>(start, 4) != DASH || load<u8>(start, 7) != DASH) {
    return NOT_A_DAY;
  }
  const century = twoDigits(start);
  const yearOfCentury = twoDigits(start + 2);
  const month = twoDigits(start + 5);
  const day = twoDigits(start + 8);
  if (century < 0 || yearOfCentury < 0 || month < 1 || month > 12 || day < 1) return NOT_A_DAY;
  const year = century * 100 + yearOfCentury;
  const isLeap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  const length = <i32>load<u8>(MONTH_LENGTHS + month - 1);
  if (day > (isLeap && month == 2 ? 29 : length)) return NOT_A_DAY;
  if (year < 1970) return OUT_OF_RANGE;
  const before = year - 1;
  const leapDays = before / 4 - before / 100 + before / 400 - 477;
  let count =
    (year - 1970) * 365 + leapDays + load<i32>(DAYS_BEFORE + ((month - 1) << 2)) + day - 1;
  if (isLeap && month > 2) count++;
  return count > LAST_DAY ? OUT_OF_RANGE : count;
}

/** The number of two digits, -1 if they are none. */
function twoDigits(at: usize): i32 {
  const tens = load<u8>(at) - 0x30;
  const ones = load<u8>(at, 1) - 0x30;
  return tens <= 9 && ones <= 9 ? <i32>tens * 10 + ones : -1;
}
