import { expect, test } from '@jest/globals';

import { Arena, Pool } from '../../../src/domain/memory.js';

const BYTES = 1_000;

test('what does not fit has memory of its own, and nothing overlaps', () => {
  const arena = new Arena(new ArrayBuffer(BYTES));
  const lengths = [3, BYTES - 24, 9, 8, 1, 100];
  const taken = lengths.map((length, value) => arena.bytes(length).fill(value));
  expect(taken.map(({ byteOffset }) => byteOffset % 8)).toEqual(lengths.map(() => 0));
  for (const [value, bytes] of taken.entries()) {
    expect(bytes).toEqual(new Uint8Array(lengths[value]!).fill(value));
  }
  expect(arena.own).not.toEqual([]);
});

test('what was cleared is given out again, and what did not fit is let go of', () => {
  const arena = new Arena(new ArrayBuffer(BYTES));
  const first = arena.bytes(BYTES);
  arena.bytes(1);
  arena.clear();
  expect(arena.own).toEqual([]);
  expect(arena.words(10).buffer).toBe(first.buffer);
});

test('a pool gives out what was given back, and keeps so much', () => {
  let made = 0;
  const pool = new Pool(() => ++made, 2);
  const taken = [pool.take(), pool.take(), pool.take()];
  expect(taken).toEqual([1, 2, 3]);
  for (const item of taken) pool.giveBack(item);
  expect(pool.free).toBe(2);
  expect([pool.take(), pool.take(), pool.take()]).toEqual([2, 1, 4]);
});
