import { afterEach, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';

import { RetentionGuard } from '../../../../src/gateway/create/retention-guard.js';
import { LogUnavailableError, type UploadLog } from '../../../../src/log/upload-log.js';
import { Collector, LogFolders, record, takeLeader } from '../../../support/log/log-folders.js';
import { until } from '../../../support/until.js';

const RETENTION_MS = 100_000;

describe('an acceptance under a log that deletes by age', () => {
  const folders = new LogFolders();
  /** How often the guard has called the fence behind it. */
  let asked = 0;
  afterEach(() => folders.cleanUp());

  /** Returns a guard over records of these ages. The first `finished` records are committed. */
  async function guardOver(agesMs: readonly number[], finished: number): Promise<RetentionGuard> {
    asked = 0;
    let ageMs = 0;
    const log = await folders.open({ now: () => Date.now() - ageMs });
    for (ageMs of agesMs) await log.append('uploads', [record('x')]);
    const consumption = await log.consume('uploads', 'ingest', new Collector());
    await consumption.commit(0, finished);
    const guard = await startGuard(log);
    guard.stop();
    return guard;
  }

  function startGuard(log: UploadLog): Promise<RetentionGuard> {
    const fence = {
      caughtUp: () => {
        asked++;
        return Promise.resolve();
      },
    };
    const logger = pino({ level: 'silent' });
    return RetentionGuard.start({ log, retentionMs: RETENTION_MS, logger }, fence);
  }

  it.each([
    ['nothing waits', [60_000, 60_000], 2],
    ['what waits is young', [60_000, 40_000], 1],
    ['there has been nothing', [], 0],
  ])('is allowed when %s', async (_, ages, finished) => {
    await (await guardOver(ages, finished)).caughtUp();
    expect(asked).toBe(1);
  });

  it('is refused once the oldest unfinished record is older than half the retention', async () => {
    const guard = await guardOver([60_000, 10], 0);
    await expect(guard.caughtUp()).rejects.toThrow(LogUnavailableError);
    expect(asked).toBe(0);
  });

  it('is refused also when another partition has no leader, and then when this one has none', async () => {
    const log = await folders.open({
      partitions: { uploads: 2 },
      now: () => Date.now() - 60_000,
    });
    await log.append('uploads', [record('x', { partition: 1 })]);
    takeLeader(log, 0);
    const guard = await startGuard(log);
    await expect(guard.caughtUp()).rejects.toThrow(LogUnavailableError);
    let looks = 0;
    log.endOffset = (_topic, partition) => {
      looks++;
      const failure = new LogUnavailableError('no leader');
      return partition === 1 ? Promise.reject(failure) : Promise.resolve(0);
    };
    await until(() => looks >= 4);
    await expect(guard.caughtUp()).rejects.toThrow(LogUnavailableError);
    guard.stop();
  });
});
