import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { stat } from 'node:fs/promises';
import { type LmdbLog, type LmdbLogOptions } from '../../../../src/log/lmdb/lmdb-log.js';
import { type Topic, TOPICS } from '../../../../src/log/upload-log.js';
import { Collector, LogFolders, readAll, record, texts } from '../../../support/log/log-folders.js';
import { until } from '../../../support/until.js';

const HOUR = 3_600_000;
const folders = new LogFolders();
afterEach(() => folders.cleanUp());

let now = 0;
function open(options: Partial<LmdbLogOptions> = {}): Promise<LmdbLog> {
  return folders.open({ retentionMs: HOUR, now: () => now, ...options });
}

/** Appends `count` records, then advances the clock by an hour and a second. */
async function appendOld(log: LmdbLog, topic: Topic, count: number): Promise<void> {
  await log.append(
    topic,
    Array.from({ length: count }, (_, i) => record(`${i}`)),
  );
  now += HOUR + 1_000;
}

describe('retention', () => {
  it('deletes what is old and below the lowest watermark, and nothing else', async () => {
    const log = await open();
    const slow = await log.consume('uploads', 'slow', new Collector());
    const fast = await log.consume('uploads', 'fast', new Collector());
    await appendOld(log, 'uploads', 5);
    await log.append('uploads', [record('young')]);
    await fast.commit(0, 6);
    expect(await log.deleteExpired()).toBe(0);
    await slow.commit(0, 3);
    expect(await log.deleteExpired()).toBe(3);
    expect(texts(await readAll(log, 'uploads'))).toEqual(['3', '4', 'young']);
    await slow.commit(0, 6);
    expect(await log.deleteExpired()).toBe(2);
    expect(texts(await readAll(log, 'uploads'))).toEqual(['young']);
  });

  it('deletes nothing from a topic before a group has begun to consume it', async () => {
    const log = await open();
    for (const topic of ['uploads', 'status', 'control'] as const) await appendOld(log, topic, 2);
    expect(await log.deleteExpired()).toBe(0);
    await log.consume('uploads', 'ingest', new Collector());
    expect(await log.deleteExpired()).toBe(0);
  });

  it('lets dead letters go by age alone', async () => {
    const log = await open();
    await appendOld(log, 'dead-letter', 2);
    await log.append('dead-letter', [record('young')]);
    expect(await log.deleteExpired()).toBe(2);
    expect(texts(await readAll(log, 'dead-letter'))).toEqual(['young']);
  });

  it('keeps a record no longer than it says, when the groups have committed it', async () => {
    const log = await open();
    for (const topic of TOPICS) {
      const consumption = await log.consume(topic, 'group', new Collector());
      await log.append(topic, [record('x')]);
      await consumption.commit(0, 1);
    }
    now += HOUR;
    expect(await log.deleteExpired()).toBe(0);
    // The log looks for expired records once a minute.
    expect(await log.maxRetentionMs()).toBe(HOUR + 60_000);
    now += 60_000;
    expect(await log.deleteExpired()).toBe(TOPICS.length);
  });

  it.each([
    [true, ['young']],
    [false, ['0', 'young']],
  ])('runs once a minute if that is wanted: %s', async (runsRetention, kept) => {
    jest.useFakeTimers({
      doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask', 'performance'],
    });
    const log = await open({ runsRetention });
    await appendOld(log, 'dead-letter', 1);
    await log.append('dead-letter', [record('young')]);
    jest.advanceTimersByTime(60_000);
    jest.useRealTimers();
    // Commits stand in a row: when the next one is written, a deletion that has begun is done.
    await new Promise((resolve) => setImmediate(resolve));
    await log.append('uploads', [record('x')]);
    expect(texts(await readAll(log, 'dead-letter'))).toEqual(kept);
  });

  it('never gives an offset again, even when nothing is left and the log is reopened', async () => {
    const dir = await folders.folder();
    const log = await open({ dir });
    await appendOld(log, 'dead-letter', 450);
    expect(await log.deleteExpired()).toBe(450);
    expect(await readAll(log, 'dead-letter')).toEqual([]);
    await log.close();
    const reopened = await open({ dir });
    expect(await reopened.endOffsets('dead-letter')).toEqual([450]);
    const positions = await reopened.append('dead-letter', [record('next')]);
    expect(positions).toEqual([{ partition: 0, offset: 450 }]);
    expect(texts(await readAll(reopened, 'dead-letter'))).toEqual(['next']);
  });

  it('leaves readers that begin below what is kept to what is kept', async () => {
    const log = await open();
    await appendOld(log, 'dead-letter', 3);
    await log.deleteExpired();
    const collector = new Collector();
    await log.consume('dead-letter', 'retry', collector);
    const tail = await log.tail('dead-letter', [0], () => undefined);
    await tail.reached([3], 20_000);
    await log.append('dead-letter', [record('next')]);
    await until(() => collector.seen.length === 1);
    expect(collector.seen[0]).toMatchObject({ offset: 3 });
  });

  it('lets appends through while it deletes', async () => {
    const log = await open();
    await appendOld(log, 'dead-letter', 5_000);
    const progress = { deleting: true };
    const deletion = log.deleteExpired().finally(() => (progress.deleting = false));
    let appends = 0;
    while (progress.deleting) {
      await log.append('uploads', [record('x')]);
      appends++;
    }
    expect(await deletion).toBe(5_000);
    expect(appends).toBeGreaterThan(5);
  });

  it('uses the space of deleted records again', async () => {
    const dir = await folders.folder();
    const log = await open({ dir });
    const megabytes = (): Promise<number> => stat(`${dir}/data.mdb`).then(({ size }) => size / 1e6);
    const value = Buffer.alloc(100_000);
    const round = async (): Promise<void> => {
      for (let i = 0; i < 10; i++) {
        await log.append(
          'dead-letter',
          Array.from({ length: 10 }, () => record(value)),
        );
      }
      now += HOUR + 1_000;
      await log.deleteExpired();
    };
    await round();
    await round();
    const before = await megabytes();
    for (let i = 0; i < 5; i++) await round();
    expect(await megabytes()).toBeLessThan(before * 1.5);
  });
});
