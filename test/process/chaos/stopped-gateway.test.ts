import { afterAll, beforeAll, expect, test } from '@jest/globals';

import { ApiClient } from '../../support/service/api-client.js';
import { Cluster } from '../../support/service/cluster.js';
import { describeWithBroker } from '../../support/kafka/kafka.js';
import {
  ACCOUNT,
  FILE,
  lag,
  openUploads,
  SHORT,
  until,
} from '../../support/service/open-uploads.js';
import { type ServiceProcess, tokenFor } from '../../support/service/service-process.js';
import { countFault } from '../../support/service/soak.js';

/** A gateway stops in the middle of an upload until ingest has dropped the upload, then goes on. */

describeWithBroker(
  'a gateway is stopped amid an upload, for longer than the upload may take',
  () => {
    let cluster: Cluster;
    let token: string;
    let ingest: ServiceProcess;
    beforeAll(async () => {
      cluster = await Cluster.open();
      token = await tokenFor(cluster.sharedDir, ACCOUNT);
      [ingest] = await Promise.all([cluster.start('ingest', SHORT), cluster.start('status')]);
    });
    afterAll(() => cluster.close());

    /** Stops a gateway amid a body until ingest drops the upload. Returns the answer. */
    async function stoppedAmidUpload(gateway: ServiceProcess, ingest: ServiceProcess) {
      const answer = new ApiClient(() => gateway.ports.api, token).post('cost', FILE, 2_000);
      await until(async () => (await openUploads(ingest)) === 1);
      gateway.process.kill('SIGSTOP');
      await until(async () => (await openUploads(ingest)) === 0);
      // Ingest commits after it drops the upload. Other processes see the commit a moment later.
      await until(async () => (await lag(ingest)) === 0);
      gateway.process.kill('SIGCONT');
      countFault('process stopped, going on later');
      const { status } = await answer;
      return { status, record: (await (await answer).json()) as { requestId: string } };
    }

    test('its end comes after all: the upload is read again, and succeeds', async () => {
      const patient = { UPLOAD_DEADLINE_SECONDS: '600', LOG_TIMEOUT_SECONDS: '60' };
      const gateway = await cluster.start('gateway', patient);
      const answer = await stoppedAmidUpload(gateway, ingest);
      expect(answer.status).toBe(201);
      const client = new ApiClient(() => gateway.ports.api, token);
      const { requestId } = answer.record;
      expect(await client.finished('cost', requestId)).toMatchObject({ status: 'succeeded' });
      await until(async () => (await lag(ingest)) === 0);
    });

    test('its deadline is past: it is refused, or it succeeds', async () => {
      const gateway = await cluster.start('gateway', { UPLOAD_DEADLINE_SECONDS: '5' });
      const answer = await stoppedAmidUpload(gateway, ingest);
      expect([201, 408, 503]).toContain(answer.status);
      if (answer.status === 201) {
        const client = new ApiClient(() => gateway.ports.api, token);
        const { requestId } = answer.record;
        expect(await client.finished('cost', requestId)).toMatchObject({ status: 'succeeded' });
      }
      await until(async () => (await lag(ingest)) === 0);
    });
  },
);
