/**
 * Code that works on 16 bytes at a time may touch bytes behind the end of its data, at most this
 * many. So every piece of memory is this much longer than asked for.
 */
export const SLACK: usize = 128;

/** A piece of memory that grows and keeps what is in it. It is kept from file to file. */
@unmanaged
export class Room {
  start: usize = 0;
  private size: usize = 0;

  /** Makes room for so many bytes in all; the place may change. */
  reserve(bytes: usize): usize {
    if (bytes + SLACK > this.size) {
      const size = max(bytes + SLACK, 2 * this.size);
      this.start = this.start == 0 ? heap.alloc(size) : heap.realloc(this.start, size);
      this.size = size;
    }
    return this.start;
  }
}

/** Copies a text, and bytes that nobody looks at behind it. */
export function copyText(from: usize, to: usize, length: usize): void {
  v128.store(to, v128.load(from));
  for (let i: usize = 16; i < length; i += 16) v128.store(to + i, v128.load(from + i));
}

/**
 * Writes the length of a Native string, a varint of at most two bytes.
 *
 * @returns where it ends
 */
export function putLength(to: usize, length: usize): usize {
  if (length < 0x80) {
    store<u8>(to, <u8>length);
    return to + 1;
  }
  store<u8>(to, <u8>((length & 0x7f) | 0x80));
  store<u8>(to, <u8>(length >> 7), 1);
  return to + 2;
}

/**
 * Writes a text of at most 16,383 bytes as a Native string: its length, then its bytes.
 *
 * @returns where the string ends
 */
export function putText(to: usize, from: usize, length: usize): usize {
  to = putLength(to, length);
  copyText(from, to, length);
  return to + length;
}

export function sameBytes(a: usize, b: usize, length: usize): bool {
  if (length < 8) {
    for (let i: usize = 0; i < length; i++) {
      if (load<u8>(a + i) != load<u8>(b + i)) return false;
    }
    return true;
  }
  // The last eight bytes overlap the ones before.
  const last = length - 8;
  for (let i: usize = 0; i < last; i += 8) {
    if (load<u64>(a + i) != load<u64>(b + i)) return false;
  }
  return load<u64>(a + last) == load<u64>(b + last);
}
