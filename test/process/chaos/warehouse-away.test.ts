import { setTimeout as sleep } from 'node:timers/promises';

import { afterAll, beforeAll, expect, test } from '@jest/globals';

import type { UploadRequestRecord } from '../../../src/status/transition.js';
import { ApiClient } from '../../support/service/api-client.js';
import { Cluster } from '../../support/service/cluster.js';
import { describeWithBroker } from '../../support/kafka/describe-with-broker.js';
import { Load } from '../../support/service/load.js';
import { type ServiceProcess, tokenFor } from '../../support/service/service-process.js';
import { IS_SOAK } from '../../support/service/soak.js';
import { COST, csvOf } from '../../support/model/warehouse-model.js';

/** The scaled-out service while its warehouse is away, under load. */

const AWAY_MS = IS_SOAK ? 30_000 : 8_000;
const MIB = 1_048_576;
/** Memory for uploads that wait; less than the clients send meanwhile. */
const WAITING_BYTES = (IS_SOAK ? 4 : 1) * MIB;
/** Allows for buffers of the log's client and the threads, but not for what is sent meanwhile. */
const GROWTH_BYTES = 64 * MIB;

const ROW = { date: '2026-02-01', channel: 'news', currency: 'EUR', campaign: 'one' };
const FILE = csvOf(COST, [{ ...ROW, impressions: '1', clicks: '1', cost: '0.5' }]);

describeWithBroker('while the warehouse is away', () => {
  let cluster: Cluster;
  let gateway: ServiceProcess;
  let ingest: ServiceProcess;
  let status: ServiceProcess;
  let client: ApiClient;
  beforeAll(async () => {
    cluster = await Cluster.open();
    const token = await tokenFor(cluster.sharedDir, 'acme');
    [gateway, ingest, status] = await Promise.all([
      cluster.start('gateway'),
      cluster.start('ingest', { WAITING_UPLOADS_MAX_BYTES: String(WAITING_BYTES) }),
      cluster.start('status'),
    ]);
    client = new ApiClient(() => gateway.ports.api, token);
  });
  afterAll(() => cluster.close(), 120_000);

  const read = async (requestId: string): Promise<UploadRequestRecord> => {
    const answer = await client.get('cost', requestId);
    expect(answer.status).toBe(200);
    return (await answer.json()) as UploadRequestRecord;
  };
  const ready = async (process: ServiceProcess): Promise<number> =>
    (await process.readiness()).status;

  test('uploads are accepted and wait, the memory of ingest stays flat, and all succeed afterwards', async () => {
    const { sharedDir, clickhouse } = cluster;
    const port = (): number => gateway.ports.api;
    const files = { rows: 1_600, pauseMs: 100 };
    const load = await Load.create({ clients: 4, dataDir: sharedDir, port, files });
    const known = await client.upload('cost', FILE);
    load.start();
    // The program and its threads reach their working memory before the measurement.
    await load.atLeast(12);
    const sentBefore = await gateway.metric('custom_data_upload_bytes_total');
    const sentSince = async (): Promise<number> =>
      (await gateway.metric('custom_data_upload_bytes_total')) - sentBefore;
    let most = 0;
    let before = 0;
    for (let look = 0; look < 10; look++) {
      before = Math.max(before, await residentBytes(ingest));
      await sleep(200);
    }

    await clickhouse.refuse();
    const end = Date.now() + AWAY_MS;
    const first = await client.create('cost', FILE);
    while (
      Date.now() < end ||
      (Date.now() < end + 60_000 && (await sentSince()) <= 2 * WAITING_BYTES)
    ) {
      most = Math.max(most, await residentBytes(ingest));
      expect(['uploaded', 'validated']).toContain((await read(first.requestId)).status);
      expect(await read(known.requestId)).toEqual(known);
      expect(await ready(gateway)).toBe(200);
      await sleep(500);
    }
    const last = await client.create('cost', FILE);
    expect((await read(last.requestId)).status).toBe('uploaded');
    expect(await ready(gateway)).toBe(200);
    expect(await ready(ingest)).toBe(503);
    expect(await sentSince()).toBeGreaterThan(2 * WAITING_BYTES);
    expect(most - before).toBeLessThan(GROWTH_BYTES);

    await clickhouse.heal();
    await load.atLeast(load.fewest + 2);
    await load.stop();
    for (const { requestId } of [first, last]) {
      expect(await client.finished('cost', requestId)).toMatchObject({ status: 'succeeded' });
    }
    await load.expectAllAsModelled(cluster, status);
  });
});

const residentBytes = (process: ServiceProcess): Promise<number> =>
  process.metric('process_resident_memory_bytes');
