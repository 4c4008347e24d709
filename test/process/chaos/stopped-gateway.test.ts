import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import { afterAll, beforeAll, expect, test } from '@jest/globals';

import { ApiClient } from '../../support/service/api-client.js';
import { Cluster } from '../../support/service/cluster.js';
import { describeWithBroker } from '../../support/kafka/describe-with-broker.js';
import {
  ACCOUNT,
  CAMPAIGNS,
  FILE,
  lag,
  openUploads,
  SHORT,
} from '../../support/service/open-uploads.js';
import { costRows } from '../../support/files/cost-rows.js';
import { COST, csvOf } from '../../support/model/warehouse-model.js';
import { type ServiceProcess, tokenFor } from '../../support/service/service-process.js';
import { countFault } from '../../support/service/soak.js';
import { until } from '../../support/until.js';

/**
 * A gateway stops in the middle of an upload until ingest has dropped the upload, then goes on. Or
 * it stops when it has the whole upload, until ingest has stored it.
 */

/** A file that goes to the log as a whole, together with its end. */
const CAMPAIGN = 'whole';
/** In a file that may be refused. */
const LATE = 'late';
const SMALL = csvOf(COST, costRows([CAMPAIGN], 1));
/** Less than ingest waits for the end of an upload. */
const DEADLINE_SECONDS = 10;
/** A quarter of it without a byte would end the upload: longer than the gateway is kept busy. */
const LATE_SECONDS = 24;
/** The gateway, with nothing else to do, does within this time what it can do. */
const DONE_MS = 1_000;

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

    /**
     * Stops a gateway amid a body until ingest drops the upload. Returns the answer, or undefined
     * if the gateway has ended the upload before.
     */
    async function stoppedAmidUpload(gateway: ServiceProcess, ingest: ServiceProcess, file = FILE) {
      let sendRest: () => void = () => undefined;
      const middle = new Promise<void>((resolve) => (sendRest = resolve));
      const client = new ApiClient(() => gateway.ports.api, token);
      const answer = client.postHalves('cost', file, middle);
      const begun = await Promise.race([
        until(async () => (await openUploads(ingest)) === 1).then(() => true),
        answer.then(() => false),
      ]);
      if (!begun) return undefined;
      gateway.process.kill('SIGSTOP');
      sendRest();
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
      expect(answer?.status).toBe(201);
      const client = new ApiClient(() => gateway.ports.api, token);
      const { requestId } = answer!.record;
      expect(await client.finished('cost', requestId)).toMatchObject({ status: 'succeeded' });
      await until(async () => (await lag(ingest)) === 0);
    });

    test('its deadline is past: it is refused, or it succeeds', async () => {
      const gateway = await cluster.start('gateway', {
        UPLOAD_DEADLINE_SECONDS: String(DEADLINE_SECONDS),
      });
      const file = csvOf(COST, costRows([LATE, ...CAMPAIGNS], 1));
      let answer = await stoppedAmidUpload(gateway, ingest, file);
      // A busy machine may have taken a quarter of the deadline over the first half.
      while (answer === undefined) answer = await stoppedAmidUpload(gateway, ingest, file);
      expect([201, 408, 503]).toContain(answer.status);
      if (answer.status === 201) {
        const client = new ApiClient(() => gateway.ports.api, token);
        const { requestId } = answer.record;
        expect(await client.finished('cost', requestId)).toMatchObject({ status: 'succeeded' });
      }
      await until(async () => (await lag(ingest)) === 0);
      expect(await storedRows(LATE)).toBe(answer.status === 201 ? 1 : 0);
    });

    test('its end is in the log, and its deadline is past: it is answered 201, and succeeds', async () => {
      const gateway = await cluster.start('gateway', {
        UPLOAD_DEADLINE_SECONDS: String(LATE_SECONDS),
        LOG_TIMEOUT_SECONDS: '60',
      });
      const client = new ApiClient(() => gateway.ports.api, token);
      // Before its first append the gateway asks the broker who leads.
      await client.upload('cost', csvOf(COST, costRows(['first'], 1)));
      let sendRest: () => void = () => undefined;
      const middle = new Promise<void>((resolve) => (sendRest = resolve));
      const begun = performance.now();
      const answer = client.postHalves('cost', SMALL, middle);
      await until(async () => (await gateway.metric('custom_data_uploads_receiving')) === 1);
      // Answered after a look at the log: that of the upload is over by then.
      await client.get('cost', randomUUID());
      // The broker gets the end, and acknowledges it only when the gateway has stopped.
      cluster.broker.signal('SIGSTOP');
      sendRest();
      await sleep(DONE_MS);
      // Answered only after a look at the log in vain: meanwhile the gateway has done what it can.
      await gateway.metric('custom_data_uploads_receiving');
      gateway.process.kill('SIGSTOP');
      cluster.broker.signal('SIGCONT');
      await until(async () => (await storedRows()) === 1);
      await sleep(Math.max(0, begun + (LATE_SECONDS + 1) * 1_000 - performance.now()));
      gateway.process.kill('SIGCONT');
      countFault('process stopped, going on later');

      expect((await answer).status).toBe(201);
      const { requestId } = (await (await answer).json()) as { requestId: string };
      expect(await client.finished('cost', requestId)).toMatchObject({ status: 'succeeded' });
      expect(await storedRows()).toBe(1);
    });

    async function storedRows(campaign = CAMPAIGN): Promise<number | undefined> {
      const [row] = await cluster.query<{ rows: number }>(
        `SELECT toUInt32(count()) AS rows FROM cost_rows WHERE campaign = '${campaign}'`,
      );
      return row?.rows;
    }
  },
);
