const SHOWN_CODE_POINTS = 64;
/** A code point takes at most four bytes; one more than is shown tells whether something is left out. */
const SHOWN_BYTES = 4 * (SHOWN_CODE_POINTS + 1);
/** A byte order mark within a file is part of its value. */
const UTF8 = new TextDecoder('utf-8', { ignoreBOM: true });

/**
 * A value or a column name as messages give it: its first 64 code points, with an ellipsis where
 * something is left out. No more than that is decoded: a field may be as long as the file.
 */
export function shown(value: Uint8Array): string {
  const points = Array.from(UTF8.decode(value.subarray(0, SHOWN_BYTES)));
  if (points.length <= SHOWN_CODE_POINTS) return points.join('');
  return `${points.slice(0, SHOWN_CODE_POINTS).join('')}…`;
}
