/**
 * HalfSipHash-1-3 (Aumasson and Bernstein) of an overwrite key: a day and two texts, over bytes.
 *
 * Keyed at random per process, so that no file can be made whose keys all collide: the grouping
 * stays linear in the rows.
 */

const [KEY_0, KEY_1] = crypto.getRandomValues(new Uint32Array(2)) as unknown as [number, number];

/** A 32-bit hash, as a signed integer. */
export function hashKey(
  view: DataView,
  day: number,
  start1: number,
  end1: number,
  start2: number,
  end2: number,
): number {
  let v0 = KEY_0 | 0;
  let v1 = KEY_1 | 0;
  let v2 = KEY_0 ^ 0x6c796765;
  let v3 = KEY_1 ^ 0x74656462;

  let at = start1;
  let end = end1;
  let text = 0;
  // The day with the first text's length is the first word: where one text ends is part of the key.
  let word = day | ((end1 - start1) << 16);
  let last = false;
  for (;;) {
    v3 ^= word;
    v0 = (v0 + v1) | 0;
    v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0;
    v0 = (v0 << 16) | (v0 >>> 16);
    v2 = (v2 + v3) | 0;
    v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2;
    v0 = (v0 + v3) | 0;
    v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0;
    v2 = (v2 + v1) | 0;
    v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2;
    v2 = (v2 << 16) | (v2 >>> 16);
    v0 ^= word;
    if (last) break;
    if (at + 4 <= end) {
      word = view.getInt32(at, true);
      at += 4;
      continue;
    }
    word = (end - at) << 24;
    for (let shift = 0; at < end; at++, shift += 8) word |= view.getUint8(at) << shift;
    if (text === 0) {
      text = 1;
      at = start2;
      end = end2;
    } else {
      last = true;
    }
  }

  v2 ^= 0xff;
  for (let round = 0; round < 3; round++) {
    v0 = (v0 + v1) | 0;
    v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0;
    v0 = (v0 << 16) | (v0 >>> 16);
    v2 = (v2 + v3) | 0;
    v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2;
    v0 = (v0 + v3) | 0;
    v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0;
    v2 = (v2 + v1) | 0;
    v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2;
    v2 = (v2 << 16) | (v2 >>> 16);
  }
  return v1 ^ v3;
}
