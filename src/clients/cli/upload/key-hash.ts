/**
 * A hash of an overwrite key in 53 bits, the same in every run: a resumed upload divides its file
 * into the same requests.
 *
 * Two keys with one hash do no harm: they only travel in one request.
 *
 * @param fields which fields of the row are the key's
 */
export function hashOfKey(
  bytes: Uint8Array,
  starts: Int32Array,
  ends: Int32Array,
  fields: readonly number[],
): number {
  let a = 0x811c9dc5;
  let b = 0x9e3779b1;
  for (let i = 0; i < fields.length; i++) {
    const field = fields[i]!;
    const end = ends[field]!;
    for (let at = starts[field]!; at < end; at++) {
      const byte = bytes[at]!;
      a = Math.imul(a ^ byte, 0x01000193);
      b = Math.imul(b ^ byte, 0x85ebca6b) ^ (b >>> 15);
    }
    // No byte of a value: "a" + "bc" is not "ab" + "c".
    a = Math.imul(a ^ 0x100, 0x01000193);
    b = Math.imul(b ^ 0x100, 0x85ebca6b) ^ (b >>> 15);
  }
  return (mixed(a) >>> 0) * 0x20_0000 + (mixed(b) >>> 11);
}

/** Spreads the last bytes over all bits. */
function mixed(hash: number): number {
  let h = hash;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return h ^ (h >>> 16);
}
