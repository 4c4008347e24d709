import { expect, test } from '@jest/globals';

import { abort, Ingesting, itemOf, MIB, MINUTE, pass, waiting, useFakeTime } from './ingesting.js';

useFakeTime();

/** Twenty small uploads and a large one. */
const items = [...Array.from({ length: 20 }, () => 2), 9_000].map(itemOf);
const large = items[20]!;
const small = items.slice(0, 20);

/** Loses the large upload, once, when it has been stored. From then on there is memory for others. */
function loseLarge({ warehouse }: Ingesting): void {
  warehouse.beforeReadBack = () => {
    if (!warehouse.stored.delete(large.upload.version)) return;
    warehouse.beforeReadBack = () => undefined;
    warehouse.memory = () => 2 * MIB;
  };
}

test.each(['succeeded', 'failed'])(
  'one that was lost and cannot be stored again holds up no other, and has %s in the end',
  async (end) => {
    const ingesting = new Ingesting(items);
    loseLarge(ingesting);
    void ingesting.write(...items);
    await pass(10_000);
    expect(small.map((item) => ingesting.statuses(item))).toEqual(
      Array(20).fill(['ingested', 'succeeded']),
    );
    expect(ingesting.isFinished(...small)).toBe(true);
    expect(ingesting.isFinished(large)).toBe(false);
    expect([...ingesting.aside]).toEqual([large.upload]);
    expect(await waiting()).toBe(1);
    ingesting.warehouse.memory = () => Infinity;
    if (end === 'failed') ingesting.warehouse.poison = large;
    await pass(20 * MINUTE, () => ingesting.isFinished(large));
    expect(ingesting.last(large)).toBe(end);
    expect(ingesting.setAside).toEqual(end === 'failed' ? [large.upload.requestId] : []);
    expect(ingesting.broken).toEqual([]);
    expect(await waiting()).toBe(0);
  },
);

test('one that is read back late is stored, although there was no memory to store it again', async () => {
  const ingesting = new Ingesting(items);
  const { warehouse } = ingesting;
  loseLarge(ingesting);
  void ingesting.write(...items);
  await pass(500, undefined, 100);
  warehouse.stored.add(large.upload.version);
  await pass(5_000, () => ingesting.isFinished(...items));
  expect(ingesting.statuses(large)).toEqual(['ingested', 'succeeded']);
  expect(await waiting()).toBe(0);
  expect(ingesting.broken).toEqual([]);
});

test('one that waited for memory and is lost after that waits again', async () => {
  const ingesting = new Ingesting(items);
  ingesting.warehouse.memory = () => 2 * MIB;
  loseLarge(ingesting);
  void ingesting.write(...items);
  for (const statuses of [[], ['ingested']]) {
    await pass(2 * MINUTE);
    expect(ingesting.statuses(large)).toEqual(statuses);
    expect([...ingesting.aside]).toEqual([large.upload]);
    expect(await waiting()).toBe(1);
    ingesting.warehouse.memory = () => Infinity;
  }
  await pass(2 * MINUTE, () => ingesting.isFinished(large));
  expect(ingesting.last(large)).toBe('succeeded');
  expect(ingesting.broken).toEqual([]);
  expect(await waiting()).toBe(0);
});

test('lost rows are not looked for any more when the process ends', async () => {
  const ingesting = new Ingesting(small);
  const { warehouse } = ingesting;
  let reads = 0;
  warehouse.beforeReadBack = () => {
    // Ends a loop without pauses.
    if (++reads > 10) throw new Error('read too often');
    warehouse.stored.clear();
  };
  void ingesting.write(...small);
  await pass(2_500, undefined, 100);
  expect(reads).toBe(3);
  abort();
  await pass(10_000);
  expect(reads).toBe(3);
  expect(ingesting.isFinished(small[0]!)).toBe(false);
});
