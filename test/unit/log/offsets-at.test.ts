import { afterEach, expect, test } from '@jest/globals';

import { offsetsAt } from '../../../src/log/offsets-at.js';
import { LogFolders, record } from '../../support/log/log-folders.js';

const folders = new LogFolders();
afterEach(() => folders.cleanUp());

test.each([
  ['nothing is gone', 1_000, [0, 0, 3, 7, 10]],
  ['the beginning is gone', 1_400, [4, 4, 4, 7, 10]],
  ['more than the half is gone', 1_800, [8, 8, 8, 8, 10]],
  ['everything is gone', 2_000, [10, 10, 10, 10, 10]],
])('finds the first record since a time when %s', async (_, keptFrom, offsets) => {
  let now = 1_000;
  const retentionMs = 60_000;
  const log = await folders.open({ retentionMs, now: () => now });
  for (; now < 2_000; now += 100) await log.append('dead-letter', [record('x')]);
  now = keptFrom + retentionMs;
  await log.deleteExpired();
  const found: number[] = [];
  for (const time of [0, 1_000, 1_250, 1_700, 2_000]) {
    found.push(...(await offsetsAt(log, 'dead-letter', time)));
  }
  expect(found).toEqual(offsets);
});
