import { isUtf8 } from 'node:buffer';

/** Whether the bytes are valid UTF-8 without NUL: one fast look at the whole file. */
export function isWellFormedText(bytes: Uint8Array): boolean {
  return !hasNul(bytes) && isUtf8(bytes);
}

/** What is wrong with one field of a file that is not well-formed text; undefined: nothing here. */
export function faultOfField(bytes: Uint8Array, start: number, end: number): string | undefined {
  const field = bytes.subarray(start, end);
  if (hasNul(field)) return 'contains a NUL character';
  return isUtf8(field) ? undefined : 'is not valid UTF-8';
}

/** A Buffer's search is many times as fast as a plain array's. */
function hasNul(bytes: Uint8Array): boolean {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).includes(0);
}
