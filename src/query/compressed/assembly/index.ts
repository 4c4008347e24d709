/**
 * CityHash128 of version 1.0.2: the checksum of ClickHouse's compressed blocks. Later versions of
 * CityHash give other values. The algorithm is that of Google's code, under this licence:
 *
 * Copyright (c) 2011 Google, Inc.
 *
 * Permission is hereby granted, free of charge, to any person obtaining a copy of this software and
 * associated documentation files (the "Software"), to deal in the Software without restriction,
 * including without limitation the rights to use, copy, modify, merge, publish, distribute,
 * sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is
 * furnished to do so, subject to the following conditions:
 *
 * The above copyright notice and this permission notice shall be included in all copies or
 * substantial portions of the Software.
 *
 * THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT
 * NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND
 * NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM,
 * DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT
 * OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.
 */

const K0: u64 = 0xc3a5c85c97cb3127;
const K1: u64 = 0xb492b66fbe98f273;
const K2: u64 = 0x9ae16a3b2f90404f;
const K3: u64 = 0xc949d7c7509e6557;
const MULTIPLIER: u64 = 0x9ddfea08eb382d69;

/** The bytes to hash. Nothing is read beyond them. */
let room: usize = 0;
let roomBytes: usize = 0;

/** The result of a function that has two. */
let low: u64 = 0;
let high: u64 = 0;

/** Where so many bytes are to be written to. */
export function roomFor(bytes: usize): usize {
  if (bytes > roomBytes) {
    room = room == 0 ? heap.alloc(bytes) : heap.realloc(room, bytes);
    roomBytes = bytes;
  }
  return room;
}

/** Hashes so many bytes of the room. The halves of the hash are `lowHalf` and `highHalf`. */
export function hash(length: usize): void {
  if (length >= 16) {
    hashSeeded(room + 16, length - 16, load<u64>(room) ^ K3, load<u64>(room, 8));
  } else if (length >= 8) {
    const first = load<u64>(room) ^ (K0 * <u64>length);
    murmur(room, 0, first, load<u64>(room + length - 8) ^ K1);
  } else {
    murmur(room, length, K0, K1);
  }
}

export function lowHalf(): u64 {
  return low;
}

export function highHalf(): u64 {
  return high;
}

function mixed(value: u64): u64 {
  return value ^ (value >> 47);
}

function hash16(first: u64, second: u64): u64 {
  const a = mixed((first ^ second) * MULTIPLIER);
  return mixed((second ^ a) * MULTIPLIER) * MULTIPLIER;
}

function hashUpTo16(at: usize, length: usize): u64 {
  const size = <u64>length;
  if (length > 8) {
    const last = load<u64>(at + length - 8);
    return last ^ hash16(load<u64>(at), rotr(last + size, size));
  }
  if (length >= 4) {
    return hash16(((<u64>load<u32>(at)) << 3) + size, load<u32>(at + length - 4));
  }
  if (length == 0) return K2;
  const y = <u64>load<u8>(at) + ((<u64>load<u8>(at + (length >> 1))) << 8);
  const z = size + ((<u64>load<u8>(at + length - 1)) << 2);
  return mixed((y * K2) ^ (z * K3)) * K2;
}

/** Of fewer than 128 bytes. */
function murmur(start: usize, length: usize, seed: u64, secondSeed: u64): void {
  let a = seed;
  let b = secondSeed;
  let c: u64;
  let d: u64;
  if (length <= 16) {
    a = mixed(a * K1) * K1;
    c = b * K1 + hashUpTo16(start, length);
    d = mixed(a + (length >= 8 ? load<u64>(start) : c));
  } else {
    const end = start + length;
    c = hash16(load<u64>(end - 8) + K1, a);
    d = hash16(b + <u64>length, c + load<u64>(end - 16));
    a += d;
    let at = start;
    do {
      a = (a ^ (mixed(load<u64>(at) * K1) * K1)) * K1;
      b ^= a;
      c = (c ^ (mixed(load<u64>(at, 8) * K1) * K1)) * K1;
      d ^= c;
      at += 16;
    } while (end - at > 16);
  }
  a = hash16(a, c);
  b = hash16(d, b);
  low = a ^ b;
  high = hash16(b, a);
}

/** Of 32 bytes with two seeds. The halves of the result are `low` and `high`. */
function weak32(at: usize, a: u64, b: u64): void {
  const last = load<u64>(at, 24);
  const first = a + load<u64>(at);
  const sum = first + load<u64>(at, 8) + load<u64>(at, 16);
  high = rotr(b + first + last, 21) + rotr(sum, 44) + first;
  low = sum + last;
}

function hashSeeded(start: usize, length: usize, seed: u64, secondSeed: u64): void {
  if (length < 128) {
    murmur(start, length, seed, secondSeed);
    return;
  }
  let x = seed;
  let y = secondSeed;
  let z = K1 * <u64>length;
  let v0 = K1 * rotr(y ^ K1, 49) + load<u64>(start);
  let v1 = K1 * rotr(v0, 42) + load<u64>(start, 8);
  let w0 = K1 * rotr(y + z, 35) + x;
  let w1 = K1 * rotr(x + load<u64>(start, 88), 53);
  const end = start + length;
  let at = start;
  // Two blocks of 64 bytes at a time, while there are as many.
  do {
    for (let block = 0; block < 2; block++, at += 64) {
      x = K1 * rotr(x + y + v0 + load<u64>(at, 16), 37);
      y = K1 * rotr(y + v1 + load<u64>(at, 48), 42);
      x ^= w1;
      y ^= v0;
      z = rotr(z ^ w0, 33);
      weak32(at, K1 * v1, x + w0);
      v0 = low;
      v1 = high;
      weak32(at + 32, z + w1, y);
      w0 = low;
      w1 = high;
      const swapped = z;
      z = x;
      x = swapped;
    }
  } while (end - at >= 128);
  y += K0 * rotr(w0, 37) + z;
  x += K0 * rotr(v0 + z, 49);
  // The rest from its end, 32 bytes at a time; the last of them may reach into what was read.
  const left = end - at;
  for (let done: usize = 0; done < left;) {
    done += 32;
    y = K0 * rotr(y - x, 42) + v1;
    w0 += load<u64>(end - done + 16);
    x = K0 * rotr(x, 49) + w0;
    w0 += v0;
    weak32(end - done, v0, v1);
    v0 = low;
    v1 = high;
  }
  x = hash16(x, v0);
  y = hash16(y, w0);
  const result = hash16(x + v1, w1) + y;
  high = hash16(x + w1, y + v1);
  low = result;
}
