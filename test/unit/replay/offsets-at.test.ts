import { afterEach, expect, test } from '@jest/globals';

import { offsetsAt } from '../../../src/replay/offsets-at.js';
import { LogFolders, record } from '../../helpers/log/log-folders.js';

const folders = new LogFolders();
afterEach(() => folders.cleanUp());

test.each([
  ['nothing is gone', () => false, [0, 0, 3, 7, 10]],
  ['the beginning is gone', (offset: number) => offset < 4, [4, 4, 4, 7, 10]],
  ['the middle is gone', (offset: number) => offset > 1 && offset < 8, [0, 0, 8, 8, 10]],
  ['single ones are gone', (offset: number) => offset === 5 || offset === 7, [0, 0, 3, 8, 10]],
  ['the end is gone', (offset: number) => offset > 5, [0, 0, 3, 10, 10]],
  ['everything is gone', () => true, [10, 10, 10, 10, 10]],
])('finds the first record since a time when %s', async (_, isGone, offsets) => {
  let now = 1_000;
  const log = await folders.open({ now: () => now });
  for (; now < 2_000; now += 100) await log.append('dead-letter', [record('x')]);
  await log.forget('dead-letter', {
    matches: ({ offset }) => isGone(offset),
    group: undefined,
  });
  const found: number[] = [];
  for (const time of [0, 1_000, 1_250, 1_700, 2_000]) {
    found.push(...(await offsetsAt(log, 'dead-letter', time)));
  }
  expect(found).toEqual(offsets);
});
