/**
 * Copies `[start, end)` of one piece of memory to `to[at…]`, four bytes at a time; the last four
 * overlap the ones before. Texts are too short for `set` or `copyWithin`, whose call alone costs more.
 *
 * @returns where the copy ends
 */
export function copyBytes(
  from: DataView,
  start: number,
  end: number,
  to: DataView,
  at: number,
): number {
  const length = end - start;
  const stop = at + length;
  if (length >= 4) {
    const last = end - 4;
    for (let read = start, write = at; read < last; read += 4, write += 4) {
      to.setInt32(write, from.getInt32(read, true), true);
    }
    to.setInt32(stop - 4, from.getInt32(last, true), true);
  } else {
    for (let i = 0; i < length; i++) to.setUint8(at + i, from.getUint8(start + i));
  }
  return stop;
}

export function viewOf({ buffer, byteOffset, byteLength }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}
