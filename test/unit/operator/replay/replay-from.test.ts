import { afterEach, expect, test } from '@jest/globals';

import { replayFrom } from '../../../../src/operator/replay/replay-from.js';
import { Collector, LogFolders, record } from '../../../support/log/log-folders.js';

const MINUTE = 60_000;
const folders = new LogFolders();
afterEach(() => folders.cleanUp());

test('a replay takes what clocks an hour apart place before its start, and nothing older', async () => {
  let now = 0;
  const log = await folders.open({ now: () => now });
  for (; now < 240 * MINUTE; now += MINUTE) await log.append('uploads', [record('x')]);
  const ingest = await log.consume('uploads', 'ingest', new Collector());
  await ingest.commit(0, 240);
  await ingest.stop();
  expect(await replayFrom(log, 180 * MINUTE)).toBe(120);
  expect(await log.committedOffsets('uploads', 'ingest')).toEqual([120]);
});
