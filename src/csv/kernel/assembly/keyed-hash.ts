/**
 * SipHash-1-3 (Aumasson and Bernstein) of a number and two texts, over bytes: of an overwrite key, and
 * of the texts of a row.
 *
 * Keyed at random, so that no file can be made whose keys all collide: the grouping stays linear in
 * the rows.
 */

let key0: u64 = 0;
let key1: u64 = 0;

export function setHashKey(a: u32, b: u32, c: u32, d: u32): void {
  key0 = ((<u64>a) << 32) | b;
  key1 = ((<u64>c) << 32) | d;
}

export function hashKey(day: i32, start1: usize, end1: usize, start2: usize, end2: usize): u32 {
  let v0 = key0 ^ 0x736f6d6570736575;
  let v1 = key1 ^ 0x646f72616e646f6d;
  let v2 = key0 ^ 0x6c7967656e657261;
  let v3 = key1 ^ 0x7465646279746573;

  let at = start1;
  let end = end1;
  let texts = 2;
  let closing = 0;
  // The day with the first text's length is the first word: where one text ends is part of the key.
  let word = ((<u64>day) << 32) | (end1 - start1);
  while (true) {
    v3 ^= word;
    v0 += v1;
    v1 = rotl(v1, 13) ^ v0;
    v0 = rotl(v0, 32);
    v2 += v3;
    v3 = rotl(v3, 16) ^ v2;
    v0 += v3;
    v3 = rotl(v3, 21) ^ v0;
    v2 += v1;
    v1 = rotl(v1, 17) ^ v2;
    v2 = rotl(v2, 32);
    v0 ^= word;
    if (texts == 0) {
      if (closing == 3) return <u32>(v0 ^ v1 ^ v2 ^ v3);
      // A word of 0 is a round and nothing else.
      if (closing++ == 0) v2 ^= 0xff;
      word = 0;
      continue;
    }
    if (at + 8 <= end) {
      word = load<u64>(at);
      at += 8;
      continue;
    }
    // A text's last word: up to seven bytes without those behind them, and their number.
    const left = <u64>(end - at);
    const unused = (8 - left) << 3;
    word = left == 0 ? 0 : ((load<u64>(at) << unused) >> unused) | (left << 56);
    at = start2;
    end = end2;
    texts--;
  }
}
