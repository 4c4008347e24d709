import { afterEach, expect, test } from '@jest/globals';

import { LmdbLog } from '../../../../src/log/lmdb/lmdb-log.js';
import { makeDataDir, removeDataDir } from '../../../support/service/service-process.js';
import { withoutTopic } from '../../../support/log/without-topic.js';

let dir: string;
afterEach(() => removeDataDir(dir));

const openLog = (): LmdbLog => LmdbLog.open({ dir, retentionMs: 3_600_000, timeoutMs: 5_000 });
const record = (key: string) => ({ key, headers: {}, value: Buffer.from(key) });

test('a log that was made before a topic existed gets it, and keeps what it has', async () => {
  dir = await makeDataDir();
  const before = openLog();
  await before.append('uploads', [record('a'), record('b')]);
  await before.close();
  await withoutTopic(dir, 'claims');

  for (const offset of [0, 1]) {
    const log = openLog();
    expect(log.partitions('claims')).toBe(1);
    expect(await log.endOffsets('uploads')).toEqual([2 + offset]);
    expect(await log.append('claims', [record('c')])).toEqual([{ partition: 0, offset }]);
    expect(await log.append('uploads', [record('d')])).toEqual([
      { partition: 0, offset: 2 + offset },
    ]);
    await log.close();
  }
});

test('what no group reads goes by age', async () => {
  dir = await makeDataDir();
  let now = 0;
  const log = LmdbLog.open({ dir, retentionMs: 1_000, timeoutMs: 5_000, now: () => now });
  await log.append('claims', [record('a')]);
  now = 2_000;
  await log.append('claims', [record('b')]);
  expect(await log.deleteExpired()).toBe(1);
  await log.close();
});
