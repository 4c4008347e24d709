import { afterAll, beforeAll, expect, test } from '@jest/globals';

import { ApiClient } from '../../support/service/api-client.js';
import { Cluster } from '../../support/service/cluster.js';
import { expectViewsToEqual } from '../../support/model/compare-views.js';
import { expectInvariants } from '../../support/service/invariants.js';
import { describeWithBroker } from '../../support/kafka/describe-with-broker.js';
import { KafkaProxy } from '../../support/kafka/kafka-proxy.js';
import { clockShiftedBy } from '../../support/service/preloads/preload.js';
import { type ServiceProcess, tokenFor } from '../../support/service/service-process.js';
import { countFault, IS_SOAK } from '../../support/service/soak.js';
import {
  COST,
  csvOf,
  type CsvRow,
  SELF_SERVE,
  WarehouseModel,
} from '../../support/model/warehouse-model.js';

/** Clients that wait for each 201 win with the next upload, through any gateway and clock. */

const SLOW = clockShiftedBy(-5 * 60_000);
const ROUNDS = IS_SOAK ? 40 : 6;
const LATE_ROUNDS = IS_SOAK ? 8 : 2;
const LATE_MS = 400;
const YESTERDAY = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);

describeWithBroker('two gateways whose clocks differ by five minutes', () => {
  const families = [COST, SELF_SERVE] as const;
  const model = new WarehouseModel();
  const accepted: { readonly family: 'cost' | 'self-serve'; readonly requestId: string }[] = [];
  let proxy: KafkaProxy;
  let cluster: Cluster;
  let token: string;
  let status: ServiceProcess;
  let right: ServiceProcess;
  let slow: ServiceProcess;
  let number = 0;

  beforeAll(async () => {
    proxy = await KafkaProxy.listen();
    cluster = await Cluster.open({ broker: proxy.brokerSettings });
    proxy.forwardTo(cluster.broker.port);
    token = await tokenFor(cluster.sharedDir, 'acme');
    [right, slow, status] = await Promise.all([
      cluster.start('gateway'),
      cluster.start('gateway', SLOW),
      cluster.start('status'),
      cluster.start('ingest'),
    ]);
  });
  afterAll(async () => {
    await cluster.close();
    await proxy.close();
  });

  /**
   * Uploads one file of each family. The same keys are uploaded again and again, each time with a
   * new value.
   */
  async function upload(gateway: ServiceProcess, ...keys: readonly string[]): Promise<void> {
    const value = String(++number);
    const client = new ApiClient(() => gateway.ports.api, token);
    await Promise.all(
      families.map(async (family) => {
        const rows = keys.map((key) => rowOf(family.name, key, value));
        const { requestId } = await client.create(family.name, csvOf(family, rows));
        accepted.push({ family: family.name, requestId });
        model.apply('acme', family, rows);
      }),
    );
  }

  function rowOf(family: string, key: string, value: string): CsvRow {
    return family === 'cost'
      ? {
          date: YESTERDAY,
          channel: 'news',
          currency: 'EUR',
          campaign: key,
          impressions: value,
          clicks: '0',
          cost: value,
        }
      : { date: YESTERDAY, channel: 'news', event_category: key, event_value: value };
  }

  /**
   * Expects that every request so far has succeeded, through either gateway, and that the reports
   * show the last accepted value.
   */
  async function expectLastAcceptedToWin(): Promise<void> {
    for (const gateway of [right, slow]) {
      const client = new ApiClient(() => gateway.ports.api, token);
      for (const { family, requestId } of accepted) {
        const record = await client.finished(family, requestId);
        expect(record).toMatchObject({ status: 'succeeded', prevStatus: 'ingested' });
        expect(record.updatedAt >= record.createdAt).toBe(true);
      }
    }
    await expectViewsToEqual(cluster, model, 'acme');
    countFault('gateways whose clocks differ');
  }

  test('the clocks do differ', async () => {
    const createdThrough = async (gateway: ServiceProcess): Promise<number> => {
      const client = new ApiClient(() => gateway.ports.api, token);
      const rows = [rowOf('cost', 'clock', '1')];
      const { requestId, createdAt } = await client.create('cost', csvOf(COST, rows));
      accepted.push({ family: 'cost', requestId });
      model.apply('acme', COST, rows);
      return Date.parse(`${createdAt}Z`);
    };
    const first = await createdThrough(right);
    expect(first - (await createdThrough(slow))).toBeGreaterThan(4 * 60_000);
  });

  test('the last accepted wins, round after round through both', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      // The second upload of each pair goes through the gateway with the slow clock.
      await upload(right, 'all', `pair${round}`);
      await upload(slow, 'all', `pair${round}`);
    }
    await expectLastAcceptedToWin();
  });

  test('the last accepted wins while everything on the status topic is read late', async () => {
    proxy.fetchDelayMs = LATE_MS;
    const before = proxy.delayedStatus;
    for (let round = 0; round < LATE_ROUNDS; round++) {
      await upload(right, 'all', `late${round}`);
      await upload(slow, 'all', `late${round}`);
    }
    proxy.fetchDelayMs = 0;
    // Each gateway reads what the other one has accepted.
    expect(proxy.delayedStatus - before).toBeGreaterThanOrEqual(2 * LATE_ROUNDS);
    await expectLastAcceptedToWin();
  });

  test('the last accepted wins through a gateway with the slow clock that has just started', async () => {
    for (const signal of ['SIGTERM', 'SIGKILL']) {
      await upload(right, 'all', signal);
      if (signal === 'SIGTERM') await slow.stop();
      else await slow.kill();
      slow = await cluster.restart(slow, 'gateway', SLOW);
      await upload(slow, 'all', signal);
    }
    await expectLastAcceptedToWin();
  });

  test('the last accepted wins after both were killed at once, the history being behind', async () => {
    // Only the log has what the status role has not written.
    await status.kill();
    await upload(right, 'all', 'killed');
    await Promise.all([right.kill(), slow.kill()]);
    slow = await cluster.restart(slow, 'gateway', SLOW);
    await upload(slow, 'all', 'killed');
    right = await cluster.restart(right, 'gateway');
    status = await cluster.restart(status, 'status');
    await expectLastAcceptedToWin();
    await expectInvariants(status, cluster, {
      account: 'acme',
      succeeded: accepted.map(({ requestId }) => requestId),
      rows: model.rowsApplied('acme'),
    });
  });
});
