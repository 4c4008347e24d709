import { LAST_DAY } from '../../domain/days.js';

/** What `parseDay` answers for bytes that are no day, and for a day the warehouse cannot hold. */
export const NOT_A_DAY = -1;
export const DAY_OUT_OF_RANGE = -2;

const MONTH_LENGTHS = Uint8Array.of(31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31);
/** Days before each month of a common year. */
const DAYS_BEFORE = Int32Array.of(0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334);

/** The day count since 1970-01-01 of `YYYY-MM-DD`, or one of the negative answers above. */
export function parseDay(bytes: Uint8Array, start: number, end: number): number {
  if (end - start !== 10 || bytes[start + 4] !== 0x2d || bytes[start + 7] !== 0x2d) {
    return NOT_A_DAY;
  }
  const year = twoDigits(bytes, start) * 100 + twoDigits(bytes, start + 2);
  const month = twoDigits(bytes, start + 5);
  const day = twoDigits(bytes, start + 8);
  // A non-digit makes its pair NaN, and NaN fails each of these comparisons.
  if (!(year >= 0 && month >= 1 && month <= 12 && day >= 1)) return NOT_A_DAY;
  const leap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  if (day > MONTH_LENGTHS[month - 1]! + (leap && month === 2 ? 1 : 0)) return NOT_A_DAY;
  if (year < 1970) return DAY_OUT_OF_RANGE;
  const before = year - 1;
  const leapDays =
    Math.floor(before / 4) - Math.floor(before / 100) + Math.floor(before / 400) - 477;
  const count =
    (year - 1970) * 365 +
    leapDays +
    DAYS_BEFORE[month - 1]! +
    (leap && month > 2 ? 1 : 0) +
    day -
    1;
  return count > LAST_DAY ? DAY_OUT_OF_RANGE : count;
}

function twoDigits(bytes: Uint8Array, at: number): number {
  const tens = bytes[at]! - 0x30;
  const ones = bytes[at + 1]! - 0x30;
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : NaN;
}
