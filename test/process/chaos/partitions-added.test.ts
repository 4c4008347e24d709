import { setTimeout as sleep } from 'node:timers/promises';

import { afterAll, beforeAll, expect, test } from '@jest/globals';

import type { UploadLog } from '../../../src/log/upload-log.js';
import { ApiClient } from '../../support/service/api-client.js';
import { Cluster } from '../../support/service/cluster.js';
import { expectViewsToEqual } from '../../support/model/compare-views.js';
import { expectInvariants } from '../../support/service/invariants.js';
import { describeWithBroker } from '../../support/kafka/describe-with-broker.js';
import { KafkaLogs } from '../../support/kafka/kafka.js';
import { clockShiftedBy } from '../../support/service/preloads/preload.js';
import { type ServiceProcess, tokenFor } from '../../support/service/service-process.js';
import { countFault, IS_SOAK } from '../../support/service/soak.js';
import { openUploads } from '../../support/service/open-uploads.js';
import { until } from '../../support/until.js';
import { COST, csvOf, type CsvRow, WarehouseModel } from '../../support/model/warehouse-model.js';

/** Partitions are added to the topics of a running service. */

const BEFORE = { uploads: 2, status: 4 } as const;
const AFTER = { uploads: 6, status: 8 } as const;
/** Processes notice added partitions within 30 s. */
const NOTICED_MS = 36_000;
const OPEN = 6;

describeWithBroker('with two gateways and two ingests', () => {
  const model = new WarehouseModel();
  const accepted: string[] = [];
  const gateways: ServiceProcess[] = [];
  let cluster: Cluster;
  let logs: KafkaLogs;
  let log: UploadLog;
  let status: ServiceProcess;
  let ingests: ServiceProcess[];
  let token: string;

  beforeAll(async () => {
    cluster = await Cluster.open({ env: { KAFKA_PARTITIONS: String(BEFORE.uploads) } });
    token = await tokenFor(cluster.sharedDir, 'acme');
    const first = cluster.start('gateway');
    [status, ...ingests] = await Promise.all([
      cluster.start('status'),
      cluster.start('ingest'),
      cluster.start('ingest'),
    ]);
    gateways.push(await first);
    // Gateways that start at different times look for new partitions at different times.
    await sleep(6_000);
    gateways.push(await cluster.start('gateway', clockShiftedBy(-5 * 60_000)));
    logs = new KafkaLogs(() => [cluster.broker.address]);
  });
  afterAll(async () => {
    await logs.cleanUp();
    await cluster.close();
  });

  function rowsOf(campaign: string, count: number): CsvRow[] {
    return Array.from({ length: count }, (_, i) => ({
      date: `2026-02-${String(1 + (i % 28)).padStart(2, '0')}`,
      channel: 'news',
      currency: 'EUR',
      campaign,
      impressions: String(i),
      clicks: '1',
      cost: String(accepted.length),
      // Few rows then make more than a chunk in half a file, and fewer are compared.
      ad_group: 'x'.repeat(200),
    }));
  }

  /** Uploads through one gateway, half of the file after `middle`. All know the request then. */
  async function upload(
    gateway: number,
    rows: readonly CsvRow[],
    middle = Promise.resolve(),
  ): Promise<void> {
    const clients = gateways.map(({ ports }) => new ApiClient(() => ports.api, token));
    const answer = await clients[gateway]!.postHalves('cost', csvOf(COST, rows), middle);
    expect(answer.status).toBe(201);
    const { requestId } = (await answer.json()) as { requestId: string };
    model.apply('acme', COST, rows);
    accepted.push(requestId);
    for (const client of clients) expect((await client.get('cost', requestId)).status).toBe(200);
  }

  /** Returns the number of records in each added partition. */
  async function added(topic: 'uploads' | 'status'): Promise<number[]> {
    return (await log.endOffsets(topic)).slice(BEFORE[topic]);
  }

  async function openNow(): Promise<number> {
    const open = await Promise.all(ingests.map(openUploads));
    return open.reduce((sum, count) => sum + count, 0);
  }

  /** Adds partitions once all uploads are open, and while they are. */
  async function addPartitions(): Promise<void> {
    await until(async () => (await openNow()) === OPEN);
    await logs.admin((admin) =>
      admin.createPartitions({
        topicPartitions: Object.entries(AFTER).map(([topic, count]) => ({
          topic: `custom-data.${topic}`,
          count,
        })),
      }),
    );
    expect(await openNow()).toBe(OPEN);
  }

  test('open and new uploads succeed, every gateway finds every request, and the last accepted wins', async () => {
    const adding = addPartitions();
    const open = Array.from({ length: OPEN }, (_, i) =>
      upload(i % 2, rowsOf(`open ${i}`, 1_400), adding),
    );
    await adding;
    const noticedBy = Date.now() + NOTICED_MS;
    await Promise.all(open);
    log = await logs.open({ prefix: 'custom-data.', metadataMs: 1_000 });
    const isEveryOneUsed = async (): Promise<boolean> => {
      const uploads = await added('uploads');
      const counts = [...uploads, ...(await added('status'))];
      return uploads.length > 0 && Math.min(...counts) > 0;
    };
    // The partition of an upload is random.
    while (
      Date.now() < noticedBy ||
      (Date.now() < noticedBy + 90_000 && !(await isEveryOneUsed()))
    ) {
      // The second of two uploads of a key goes through the gateway with the slow clock.
      const key = `key ${accepted.length}`;
      await upload(0, rowsOf(key, 1));
      await upload(1, rowsOf(key, 1));
      await sleep(IS_SOAK ? 100 : 1_000);
    }
    for (const topic of ['uploads', 'status'] as const) {
      expect(await added(topic)).toHaveLength(AFTER[topic] - BEFORE[topic]);
      expect(Math.min(...(await added(topic)))).toBeGreaterThan(0);
      countFault('partitions added to a topic');
    }
    for (const { ports } of gateways) {
      const client = new ApiClient(() => ports.api, token);
      for (const requestId of accepted) {
        expect(await client.finished('cost', requestId)).toMatchObject({ status: 'succeeded' });
      }
    }
    await expectViewsToEqual(cluster, model, 'acme');
    await expectInvariants(status, cluster, {
      account: 'acme',
      succeeded: accepted,
      rows: model.rowsApplied('acme'),
    });
  });
});
