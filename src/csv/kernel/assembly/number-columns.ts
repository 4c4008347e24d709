import { amount, report } from './host';
import { Room } from './memory';
import { ends, starts } from './scanner';
import { notOfKind } from './texts';

/** Eight bytes a row: a count or a double. */
@unmanaged
export class NumberColumn {
  values: Room = new Room();
  rows: usize = 0;
}

const MAX_COUNT: u64 = 999_999_999_999;
const DOT: u8 = 0x2e;
const PLUS: u8 = 0x2b;
const MINUS: u8 = 0x2d;
/** Decimal digits whose integer a double always holds exactly. */
const EXACT_DIGITS: usize = 15;

/** The powers of ten up to 10^15, each of which a double holds exactly. */
const POWERS = memory.data<f64>([
  1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
]);

export function newNumberColumn(): NumberColumn {
  return new NumberColumn();
}

/** Forgets the values and keeps the memory. */
export function clearNumbers(column: NumberColumn): void {
  column.rows = 0;
}

/** Room for a block's rows behind those so far. */
function roomFor(column: NumberColumn, rows: i32): usize {
  const known = column.rows;
  column.rows = known + <usize>rows;
  return column.values.reserve(column.rows << 3) + (known << 3);
}

/** Whole numbers of digits only, 0 to 999,999,999,999. */
export function takeCounts(column: NumberColumn, field: i32, width: i32, rows: i32): void {
  let to = roomFor(column, rows);
  const rowBytes = (<usize>width) << 2;
  let at = (<usize>field) << 2;
  for (let row = 0; row < rows; row++, at += rowBytes, to += 8) {
    const start = <usize>load<u32>(starts + at);
    const end = <usize>load<u32>(ends + at);
    let value: u64 = 0;
    let i = start;
    for (; i < end; i++) {
      const digit = load<u8>(i) - 0x30;
      if (digit > 9) break;
      value = value * 10 + digit;
      if (value > MAX_COUNT) break;
    }
    if (i != end || start == end) report(row, notOfKind(start, end));
    store<u64>(to, value);
  }
}

/** Decimal numbers: optional sign, digits, optionally a point and digits, optionally an exponent; finite. */
export function takeAmounts(column: NumberColumn, field: i32, width: i32, rows: i32): void {
  let to = roomFor(column, rows);
  const rowBytes = (<usize>width) << 2;
  let at = (<usize>field) << 2;
  for (let row = 0; row < rows; row++, at += rowBytes, to += 8) {
    const start = <usize>load<u32>(starts + at);
    const end = <usize>load<u32>(ends + at);
    const value = amountOf(start, end);
    if (value != value) report(row, notOfKind(start, end));
    store<f64>(to, value);
  }
}

/**
 * Exact: an integer below 10^15 divided by a power of ten up to 10^15 is rounded once, as the decimal
 * value itself would be. Whatever is longer or has an exponent is left to the host.
 */
function amountOf(start: usize, end: usize): f64 {
  let at = start;
  const sign = at < end ? load<u8>(at) : 0;
  if (sign == MINUS || sign == PLUS) at++;
  const whole = at;
  let digits: u64 = 0;
  for (; at < end; at++) {
    const digit = load<u8>(at) - 0x30;
    if (digit > 9) break;
    digits = digits * 10 + digit;
  }
  let length = at - whole;
  let scale: usize = 0;
  if (length != 0 && at < end && load<u8>(at) == DOT) {
    const fraction = ++at;
    for (; at < end; at++) {
      const digit = load<u8>(at) - 0x30;
      if (digit > 9) break;
      digits = digits * 10 + digit;
    }
    scale = at - fraction;
    length = scale == 0 ? 0 : length + scale;
  }
  if (at != end || length == 0 || length > EXACT_DIGITS) return amount(start, end);
  const value = <f64>digits / load<f64>(POWERS + (scale << 3));
  // Minus zero would show as "-0" in reports.
  return sign == MINUS && digits != 0 ? -value : value;
}
