import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { pino } from 'pino';

import { RetentionGuard } from '../../../src/gateway/create/retention-guard.js';
import { KafkaLog } from '../../../src/log/kafka/kafka-log.js';
import { LogUnavailableError } from '../../../src/log/upload-log.js';
import { ApiClient } from '../../support/service/api-client.js';
import { Deployment, describeDeployments } from '../../support/service/deployment.js';
import { ACCOUNT, FILE, lag, openUploads, SHORT } from '../../support/service/open-uploads.js';
import { tokenFor } from '../../support/service/service-process.js';
import { countFault } from '../../support/service/soak.js';
import { until } from '../../support/until.js';

/** Uploads whose gateway dies after their first chunks. */

describeDeployments((kind) => {
  let deployment: Deployment;
  beforeAll(async () => {
    deployment = await Deployment.open(kind);
  });
  afterAll(() => deployment.close());

  test('what a killed gateway has written of an upload is dropped, though no further record comes', async () => {
    const token = await tokenFor(deployment.dataDir, ACCOUNT);
    const before = await deployment.start({ UPLOAD_DEADLINE_SECONDS: '600' });
    const upload = new ApiClient(() => before.ports.api, token).postHalf('cost', FILE);
    const broken = expect(upload).rejects.toThrow();
    await until(async () => (await openUploads(before)) === 1);
    await before.kill();
    countFault('gateway killed amid an upload');
    await broken;

    // Before the next process starts, which drops the upload after twelve seconds.
    const guard = await guardOver(deployment);
    await guard?.refuses();
    const after = await deployment.start(SHORT);
    await until(async () => (await openUploads(after)) === 1);
    await until(async () => (await lag(after)) > 0);
    // In this order: there is no lag either while the log does not tell it.
    await until(async () => (await openUploads(after)) === 0);
    await until(async () => (await lag(after)) === 0);
    await guard?.accepts();
    await guard?.close();
  });
});

/** Returns a guard over the service's own topics, with a retention short enough for a test. */
async function guardOver({ broker }: Deployment): Promise<
  | {
      refuses(): Promise<void>;
      accepts(): Promise<void>;
      close(): Promise<void>;
    }
  | undefined
> {
  if (broker === undefined) return undefined;
  const logger = pino({ level: 'silent' });
  const log = new KafkaLog({
    brokers: [broker.address],
    tls: undefined,
    sasl: undefined,
    compression: 'none',
    partitions: 1,
    replicationFactor: 1,
    retentionMs: 3_600_000,
    timeoutMs: 10_000,
    logger,
  });
  await log.ready(new AbortController().signal);
  const guard = await RetentionGuard.start(
    { log, retentionMs: 2_000, logger },
    { caughtUp: () => Promise.resolve() },
  );
  const isOpen = (): Promise<boolean> =>
    guard.caughtUp().then(
      () => true,
      (error: unknown) => {
        if (error instanceof LogUnavailableError) return false;
        throw error;
      },
    );
  return {
    refuses: () => until(async () => !(await isOpen())),
    accepts: () => until(isOpen),
    async close() {
      guard.stop();
      await log.close();
    },
  };
}
