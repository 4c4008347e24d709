import { expect, test } from '@jest/globals';

import {
  abort,
  Ingesting,
  itemOf,
  KIB,
  MIB,
  MINUTE,
  pass,
  waiting,
  useFakeTime,
} from './ingesting.js';

useFakeTime();

/** Twenty small uploads and a large one. */
const items = [...Array.from({ length: 20 }, () => 2), 9_000].map(itemOf);
const large = items[20]!;
const small = items.slice(0, 20);

test.each([
  ['for nothing at all', 0],
  ['for small inserts only', 2 * MIB],
])('a quarter of an hour in which there is memory %s fails no upload', async (_, free) => {
  const ingesting = new Ingesting(items);
  const end = performance.now() + 15 * MINUTE;
  ingesting.warehouse.memory = () => (performance.now() < end ? free : Infinity);
  void ingesting.write(...items);
  await pass(15 * MINUTE - 5_000);
  expect(ingesting.isFinished(large)).toBe(false);
  expect(ingesting.isFinished(...small)).toBe(free > 0);
  expect(await waiting()).toBe(free > 0 ? 1 : 0);
  await pass(2 * MINUTE, () => ingesting.isFinished(...items));
  expect(items.map((item) => ingesting.last(item))).toEqual(Array(21).fill('succeeded'));
  expect(ingesting.setAside).toEqual([]);
  expect(ingesting.broken).toEqual([]);
  expect(await waiting()).toBe(0);
});

test('no failure counts beside which a probe fails as well', async () => {
  const ingesting = new Ingesting(items);
  ingesting.warehouse.memory = () => 2 * MIB;
  void ingesting.write(...items);
  await pass(500, undefined, 100);
  expect(await waiting()).toBe(1);
  // The probe before the upload succeeds. The upload and the probe after it fail.
  let inserts = 0;
  ingesting.warehouse.memory = () => (inserts++ % 3 === 0 ? 10 * MIB : 2 * MIB);
  await pass(30 * MINUTE);
  expect(inserts).toBeGreaterThan(3 * 20);
  expect(ingesting.setAside).toEqual([]);
  ingesting.warehouse.memory = () => Infinity;
  await pass(2 * MINUTE, () => ingesting.isFinished(large));
  expect(ingesting.last(large)).toBe('succeeded');
});

test('an upload that is too large is set aside, it alone, after ten minutes; others go on', async () => {
  const others = Array.from({ length: 9 }, () => itemOf(3));
  const ingesting = new Ingesting([...items, ...others]);
  ingesting.warehouse.poison = large;
  void ingesting.write(...items);
  await pass(5_000, () => ingesting.isFinished(...small));
  expect(small.map((item) => ingesting.last(item))).toEqual(Array(20).fill('succeeded'));
  for (const other of others) {
    await pass(MINUTE - 5_000);
    void ingesting.write(other);
    await pass(5_000);
    expect(ingesting.last(other)).toBe('succeeded');
    expect(await waiting()).toBe(1);
    expect(ingesting.last(large)).toBeUndefined();
  }
  await pass(3 * MINUTE, () => ingesting.isFinished(large));
  expect(ingesting.last(large)).toBe('failed');
  expect(ingesting.setAside).toEqual([large.upload.requestId]);
  expect(await waiting()).toBe(0);
  expect(ingesting.broken).toEqual([]);
});

test('one for which the server is too small for good is set aside after some hours', async () => {
  const item = itemOf(50);
  const ingesting = new Ingesting([item]);
  ingesting.warehouse.poison = item;
  // No probe of this size ever succeeds.
  ingesting.warehouse.memory = () => MIB + 4 * KIB;
  void ingesting.write(item);
  await pass(6 * 60 * MINUTE, undefined, 10 * MINUTE);
  expect(ingesting.isFinished(item)).toBe(false);
  await pass(24 * 60 * MINUTE, () => ingesting.isFinished(item), 10 * MINUTE);
  expect(ingesting.setAside).toEqual([item.upload.requestId]);
});

test('others have the memory of an upload that waits, except while it is tried', async () => {
  const ingesting = new Ingesting(items);
  ingesting.warehouse.memory = () => 2 * MIB;
  void ingesting.write(...items);
  await pass(5 * MINUTE);
  expect([...ingesting.aside]).toEqual([large.upload]);
  ingesting.warehouse.memory = () => Infinity;
  await pass(2 * MINUTE, () => ingesting.isFinished(large));
  expect([...ingesting.aside]).toEqual([]);
  expect(ingesting.last(large)).toBe('succeeded');
});

test('an upload that cannot be prepared again fails, and others are tried further', async () => {
  const other = itemOf(9_500);
  const ingesting = new Ingesting([...items, other]);
  ingesting.warehouse.memory = () => 2 * MIB;
  void ingesting.write(...items, other);
  await pass(MINUTE);
  ingesting.unprepared = { valid: false, reason: '{}' };
  await pass(2 * MINUTE, () => ingesting.isFinished(large));
  expect(ingesting.last(large)).toBe('failed');
  ingesting.unprepared = undefined;
  ingesting.warehouse.memory = () => Infinity;
  await pass(2 * MINUTE, () => ingesting.isFinished(other));
  expect(['succeeded', 'failed']).toContain(ingesting.last(other));
  expect(ingesting.broken).toEqual([]);
  expect(await waiting()).toBe(0);
});

test('nothing is tried any more when the process ends', async () => {
  const ingesting = new Ingesting(items);
  ingesting.warehouse.poison = large;
  void ingesting.write(...items);
  await pass(MINUTE);
  abort();
  await pass(1_000);
  const { length } = ingesting.warehouse.probes;
  await pass(20 * MINUTE);
  expect(ingesting.warehouse.probes).toHaveLength(length);
  expect(ingesting.setAside).toEqual([]);
});
