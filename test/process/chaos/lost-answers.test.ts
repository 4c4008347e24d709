import { setTimeout as sleep } from 'node:timers/promises';

import { afterAll, beforeAll, expect, test } from '@jest/globals';

import { clientOf } from '../../support/service/client-of.js';
import { Cluster } from '../../support/service/cluster.js';
import { expectViewsToEqual } from '../../support/model/compare-views.js';
import { expectInvariants } from '../../support/service/invariants.js';
import { describeWithBroker } from '../../support/kafka/describe-with-broker.js';
import { headerBytes, KafkaProxy } from '../../support/kafka/kafka-proxy.js';
import type { ServiceProcess } from '../../support/service/service-process.js';
import { IS_SOAK } from '../../support/service/soak.js';
import { COST, csvOf, type CsvRow, WarehouseModel } from '../../support/model/warehouse-model.js';

/**
 * Nobody knows whether the broker has some records of an upload. The client gets 503, the upload is
 * applied as a whole or not at all, and it is safe to send it again.
 */

const RECORDS = {
  chunk: headerBytes('type', 'chunk'),
  end: headerBytes('type', 'end'),
  uploaded: Buffer.from('"status":"uploaded"'),
} as const;
const HISTORY_MS = 60_000;
/** Each case that gets no answer waits for this time. Other tests keep the machine busy. */
const LOG_TIMEOUT_SECONDS = '8';

type Case = readonly [
  record: keyof typeof RECORDS,
  isDelivered: boolean,
  times: number,
  answer: 201 | 503,
  isApplied: boolean,
];

describeWithBroker('a gateway that loses the broker in the middle of an upload', () => {
  let proxy: KafkaProxy;
  let cluster: Cluster;
  let gateway: ServiceProcess;
  let status: ServiceProcess;
  let applied = 0;

  beforeAll(async () => {
    proxy = await KafkaProxy.listen();
    cluster = await Cluster.open({ broker: proxy.brokerSettings });
    proxy.forwardTo(cluster.broker.port);
    [gateway, status] = await Promise.all([
      cluster.start('gateway', { KAFKA_COMPRESSION: 'none', LOG_TIMEOUT_SECONDS }),
      cluster.start('status'),
      cluster.start('ingest'),
    ]);
  });
  afterAll(async () => {
    await cluster.close();
    await proxy.close();
  });

  /** Returns the rows of a file of several chunks. */
  function rowsOf(account: string): CsvRow[] {
    return Array.from({ length: 900 }, (_, i) => ({
      date: `2026-02-${String(1 + (i % 28)).padStart(2, '0')}`,
      channel: 'news',
      currency: 'EUR',
      campaign: `a campaign of ${account} ${i % 200}`,
      impressions: String(i),
      clicks: '1',
      cost: String(i / 4),
      ad_group: 'x'.repeat(180),
    }));
  }

  async function statesOf(account: string): Promise<unknown[]> {
    return cluster.query(
      `SELECT status, count() AS requests FROM upload_requests WHERE account = '${account}' GROUP BY status`,
    );
  }

  const cases: Case[] = [
    ['chunk', true, 1, 201, true],
    ['chunk', true, Infinity, 503, false],
    ['chunk', false, Infinity, 503, false],
    ['end', true, 1, 201, true],
    ['end', true, Infinity, 503, true],
    ['end', false, 1, 201, true],
    ['end', false, Infinity, 503, false],
    ['uploaded', true, 1, 201, true],
    ['uploaded', true, Infinity, 503, true],
    ['uploaded', false, Infinity, 503, true],
  ];
  test.each(IS_SOAK ? cases : cases.filter(([, , times]) => times > 1))(
    '%s: delivered %s, %d times without an answer: %d, applied %s',
    async (record, isDelivered, times, answer, isApplied) => {
      const account = `${record}-${String(isDelivered)}-${times}`.toLowerCase();
      const client = await clientOf(account, cluster.sharedDir, () => gateway);
      const rows = rowsOf(account);
      const file = csvOf(COST, rows);
      const model = new WarehouseModel();

      proxy.set({ bytes: RECORDS[record], isDelivered, times });
      expect((await client.post('cost', file)).status).toBe(answer);
      expect(proxy.struck).toBeGreaterThanOrEqual(Math.min(times, 2));
      proxy.set(undefined);

      const expected = isApplied ? [{ status: 'succeeded', requests: 1 }] : [];
      if (isApplied) model.apply(account, COST, rows);
      const until = Date.now() + HISTORY_MS;
      do await sleep(isApplied ? 100 : 2_000);
      while (
        Date.now() < until &&
        JSON.stringify(await statesOf(account)) !== JSON.stringify(expected)
      );
      expect(await statesOf(account)).toEqual(expected);
      await expectViewsToEqual(cluster, model, account);

      if (!isApplied) model.apply(account, COST, rows);
      expect(await client.upload('cost', file)).toMatchObject({ status: 'succeeded' });
      await expectViewsToEqual(cluster, model, account);
      applied += isApplied ? 2 : 1;
    },
    120_000,
  );

  test('no request stays in flight, and no row is counted twice', async () => {
    await expectInvariants(status, cluster);
    expect(
      await cluster.query(
        'SELECT status, count() AS requests FROM upload_requests GROUP BY status',
      ),
    ).toEqual([{ status: 'succeeded', requests: applied }]);
  });
});
