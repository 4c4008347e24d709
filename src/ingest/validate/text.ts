/** Rules of text values, over bytes that are known to be valid UTF-8. */

export const MAX_CODE_POINTS = 256;

/** The number of Unicode code points in `[start, end)`. */
export function codePoints(bytes: Uint8Array, start: number, end: number): number {
  let points = 0;
  for (let i = start; i < end; i++) {
    if ((bytes[i]! & 0xc0) !== 0x80) points++;
  }
  return points;
}

export function isTooLong(bytes: Uint8Array, start: number, end: number): boolean {
  const length = end - start;
  if (length <= MAX_CODE_POINTS) return false;
  // A code point takes at most four bytes.
  return length > 4 * MAX_CODE_POINTS || codePoints(bytes, start, end) > MAX_CODE_POINTS;
}

/** Whether the first or last character of a non-empty value is Unicode White_Space. */
export function hasWhitespaceAtEnds(bytes: Uint8Array, start: number, end: number): boolean {
  const first = bytes[start]!;
  const last = bytes[end - 1]!;
  // Visible ASCII at both ends: nearly every value.
  if (first > 0x20 && first < 0x7f && last > 0x20 && last < 0x7f) return false;
  if (isWhitespace(bytes, start, end)) return true;
  let lastStart = end - 1;
  while (lastStart > start && (bytes[lastStart]! & 0xc0) === 0x80) lastStart--;
  return isWhitespace(bytes, lastStart, end);
}

/** Whether the character that begins at `at` has the Unicode property White_Space. */
function isWhitespace(bytes: Uint8Array, at: number, end: number): boolean {
  const a = bytes[at]!;
  if (a < 0x80) return a === 0x20 || (a >= 0x09 && a <= 0x0d);
  const b = at + 1 < end ? bytes[at + 1]! : 0;
  if (a === 0xc2) return b === 0x85 || b === 0xa0; // U+0085, U+00A0
  const c = at + 2 < end ? bytes[at + 2]! : 0;
  if (a === 0xe1) return b === 0x9a && c === 0x80; // U+1680
  if (a === 0xe2 && b === 0x80) {
    return (c >= 0x80 && c <= 0x8a) || c === 0xa8 || c === 0xa9 || c === 0xaf; // U+2000 to U+202F
  }
  if (a === 0xe2) return b === 0x81 && c === 0x9f; // U+205F
  return a === 0xe3 && b === 0x80 && c === 0x80; // U+3000
}
