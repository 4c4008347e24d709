import { expect, test } from '@jest/globals';

import { Ingesting, itemOf, KIB, MINUTE, pass, useFakeTime } from './ingesting.js';

useFakeTime();

test('a batch that the warehouse does not take in time is halved until it does', async () => {
  const items = Array.from({ length: 20 }, () => itemOf(200));
  const ingesting = new Ingesting(items);
  ingesting.warehouse.inTime = 100 * KIB;
  void ingesting.write(...items);
  await pass(60 * MINUTE, () => ingesting.isFinished(...items));
  expect(items.map((item) => ingesting.last(item))).toEqual(Array(20).fill('succeeded'));
  expect(ingesting.broken).toEqual([]);
});
