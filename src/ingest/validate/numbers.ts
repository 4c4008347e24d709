/** Numbers over bytes, without a string where the value is short enough to be exact. */

const MAX_COUNT = 999_999_999_999;
const DOT = 0x2e;
const PLUS = 0x2b;
const MINUS = 0x2d;

/** The powers of ten that a double holds exactly. */
const POWERS = Float64Array.from({ length: 23 }, (_, i) => Number(`1e${i}`));
/** Decimal digits whose integer a double always holds exactly. */
const EXACT_DIGITS = 15;

/** For bytes that are known to be digits, signs, a point and an e. */
const ASCII = new TextDecoder();

/** A whole number of digits only, 0 to 999,999,999,999; -1 for anything else. */
export function parseCount(bytes: Uint8Array, start: number, end: number): number {
  if (start === end) return -1;
  let value = 0;
  for (let i = start; i < end; i++) {
    const digit = bytes[i]! - 0x30;
    if (digit < 0 || digit > 9) return -1;
    value = value * 10 + digit;
    if (value > MAX_COUNT) return -1;
  }
  return value;
}

/**
 * Optional sign, digits, optionally a point and digits, optionally an exponent; NaN for anything
 * else and for what is not finite.
 *
 * Exact: an integer below 2^53 times or divided by a power of ten up to 22 is rounded once, as the
 * decimal value itself would be; everything longer is left to the language's own conversion.
 */
export function parseAmount(bytes: Uint8Array, start: number, end: number): number {
  let i = start;
  let negative = false;
  if (i < end && (bytes[i] === MINUS || bytes[i] === PLUS)) {
    negative = bytes[i] === MINUS;
    i++;
  }
  let mantissa = 0;
  let digits = 0;
  const integer = i;
  for (; i < end; i++) {
    const digit = bytes[i]! - 0x30;
    if (digit < 0 || digit > 9) break;
    mantissa = mantissa * 10 + digit;
    if (mantissa > 0) digits++;
  }
  if (i === integer) return NaN;
  let exponent = 0;
  if (i < end && bytes[i] === DOT) {
    const fraction = ++i;
    for (; i < end; i++) {
      const digit = bytes[i]! - 0x30;
      if (digit < 0 || digit > 9) break;
      mantissa = mantissa * 10 + digit;
      if (mantissa > 0) digits++;
    }
    if (i === fraction) return NaN;
    exponent = fraction - i;
  }
  if (i < end && (bytes[i]! | 0x20) === 0x65) {
    const stated = parseExponent(bytes, i + 1, end);
    if (Number.isNaN(stated)) return NaN;
    exponent += stated;
    i = end;
  }
  if (i !== end) return NaN;
  if (digits > EXACT_DIGITS || exponent > 22 || exponent < -22) {
    const value = Number(ASCII.decode(bytes.subarray(start, end)));
    return Number.isFinite(value) ? value + 0 : NaN;
  }
  const value = exponent < 0 ? mantissa / POWERS[-exponent]! : mantissa * POWERS[exponent]!;
  // Minus zero would show as "-0" in reports.
  return negative && value !== 0 ? -value : value;
}

function parseExponent(bytes: Uint8Array, start: number, end: number): number {
  let i = start;
  let negative = false;
  if (i < end && (bytes[i] === MINUS || bytes[i] === PLUS)) {
    negative = bytes[i] === MINUS;
    i++;
  }
  if (i === end) return NaN;
  let value = 0;
  for (; i < end; i++) {
    const digit = bytes[i]! - 0x30;
    if (digit < 0 || digit > 9) return NaN;
    // Any exponent this large is 0 or infinite; the bound keeps the number a number.
    if (value < 1e9) value = value * 10 + digit;
  }
  return negative ? -value : value;
}
