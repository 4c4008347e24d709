import { afterEach, beforeAll, it } from '@jest/globals';
import { pino } from 'pino';

import { RetentionGuard } from '../../../../src/gateway/create/retention-guard.js';
import { LogUnavailableError, type UploadLog } from '../../../../src/log/upload-log.js';
import { describeWithBroker } from '../../../support/kafka/describe-with-broker.js';
import { KafkaLogs, sharedBrokers } from '../../../support/kafka/kafka.js';
import { record } from '../../../support/log/log-folders.js';
import { until } from '../../../support/until.js';

const RETENTION_MS = 2_000;

describeWithBroker('an acceptance on Kafka', () => {
  let brokers: string[] = [];
  beforeAll(async () => {
    brokers = await sharedBrokers();
  });
  const logs = new KafkaLogs(() => brokers);
  afterEach(() => logs.cleanUp());

  const startGuard = (log: UploadLog): Promise<RetentionGuard> =>
    RetentionGuard.start(
      { log, retentionMs: RETENTION_MS, logger: pino({ level: 'silent' }) },
      { caughtUp: () => Promise.resolve() },
    );
  const isRefused = (guard: RetentionGuard): Promise<boolean> =>
    guard.caughtUp().then(
      () => false,
      (error: unknown) => error instanceof LogUnavailableError,
    );

  it('is allowed again when retention has deleted all that was not finished', async () => {
    const log = await logs.open();
    await log.append('uploads', [record('never finished'), record('neither')]);
    await log.rewind('uploads', 'ingest', [0]);
    const guard = await startGuard(log);
    await until(() => isRefused(guard));
    await logs.admin(async (admin) => {
      await admin.fetchTopicOffsets(`${logs.prefix}uploads`);
      await admin.deleteTopicRecords({
        topic: `${logs.prefix}uploads`,
        partitions: [{ partition: 0, offset: '2' }],
      });
    });
    await until(async () => !(await isRefused(guard)));
    guard.stop();
  });
});
