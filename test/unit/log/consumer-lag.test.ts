import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';

import { ConsumerLagGauges } from '../../../src/log/consumer-lag.js';
import { consumerLag, consumerLagSeconds } from '../../../src/ops/metrics.js';
import { LogUnavailableError } from '../../../src/log/upload-log.js';
import { Collector, LogFolders, record } from '../../support/log/log-folders.js';

const GROUP = { topic: 'uploads', group: 'ingest' } as const;

describe('the lag of a consumer group', () => {
  const folders = new LogFolders();
  beforeEach(() => {
    // The clock stands still: ages are the same however long the log takes.
    jest.spyOn(Date, 'now').mockReturnValue(Date.now());
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await folders.cleanUp();
  });

  /** Opens a log with records of these ages in a partition and commits the first `committed`. */
  async function logWith(agesSeconds: readonly number[], committed: number) {
    let age = 0;
    const log = await folders.open({
      partitions: { uploads: 2 },
      now: () => Date.now() - age * 1000,
    });
    for (age of agesSeconds) await log.append('uploads', [record('x', { partition: 1 })]);
    age = 0;
    const consumption = await log.consume('uploads', GROUP.group, new Collector());
    await consumption.commit(1, committed);
    return { log, consumption };
  }

  async function lags(): Promise<{ records: number[]; seconds: number[] }> {
    const numbers = async (gauge: typeof consumerLag): Promise<number[]> =>
      (await gauge.get()).values.map(({ value }) => value);
    return { records: await numbers(consumerLag), seconds: await numbers(consumerLagSeconds) };
  }

  it('is what is behind its watermark, and how long the first of that has waited', async () => {
    const { log, consumption } = await logWith([500, 400, 30], 1);
    const gauges = new ConsumerLagGauges(log, [GROUP]);
    await gauges.measure();
    expect(await lags()).toEqual({ records: [0, 2], seconds: [0, 400] });
    await consumption.commit(1, 2);
    await gauges.measure();
    expect(await lags()).toEqual({ records: [0, 1], seconds: [0, 30] });
    await consumption.commit(1, 3);
    await gauges.measure();
    expect(await lags()).toEqual({ records: [0, 0], seconds: [0, 0] });
  });

  it('is of what the log still keeps', async () => {
    const { log, consumption } = await logWith([500, 400], 2);
    const gauges = new ConsumerLagGauges(log, [GROUP]);
    expect(await log.deleteExpired()).toBe(2);
    // An operator may set a group back too far in this way.
    await consumption.commit(1, 0);
    await gauges.measure();
    expect(await lags()).toEqual({ records: [0, 0], seconds: [0, 0] });
    await log.append('uploads', [record('x', { partition: 1 })]);
    await gauges.measure();
    expect(await lags()).toEqual({ records: [0, 1], seconds: [0, 0] });
  });

  it('is not told while the log does not answer', async () => {
    const { log } = await logWith([500], 0);
    const gauges = new ConsumerLagGauges(log, [GROUP]);
    await gauges.measure();
    expect((await lags()).records).toEqual([0, 1]);
    await log.close();
    await expect(gauges.measure()).rejects.toThrow(LogUnavailableError);
    expect(await lags()).toEqual({ records: [], seconds: [] });
  });
});
