import { setTimeout as sleep } from 'node:timers/promises';

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

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
import { ingestIdle } from '../../support/kafka/uploads-topic.js';
import { COST, csvOf, type CsvRow, WarehouseModel } from '../../support/model/warehouse-model.js';

/** The warehouse is away for longer than every deadline. */

const DEADLINE_SECONDS = 12;
const LOG_TIMEOUT_SECONDS = 4;
/** Ingest drops an upload without an end after this much time, by the times of the records. */
const DROP_AFTER_MS = 2 * (DEADLINE_SECONDS + 5 * LOG_TIMEOUT_SECONDS) * 1_000;
const MIB = 1_048_576;
/** The number of uploads that are open when the partitions are paused, and their duration. */
const OPEN = 4;
const OPEN_MS = 4_000;
const ENV = {
  KAFKA_PARTITIONS: '2',
  UPLOAD_DEADLINE_SECONDS: String(DEADLINE_SECONDS),
  LOG_TIMEOUT_SECONDS: String(LOG_TIMEOUT_SECONDS),
  LOG_RETENTION_HOURS: '1',
  WAITING_UPLOADS_MAX_BYTES: String(MIB),
  CLICKHOUSE_TIMEOUT_SECONDS: '5',
};
/** A gateway looks for unfinished uploads every hundredth of the retention. */
const LOOK_MS = 36_000;

/** The test waits for two minutes. The simulation covers the same in simulated time. */
const describeInSoak = IS_SOAK ? describeWithBroker : describe.skip;

describeInSoak('a warehouse that is away for long', () => {
  const model = new WarehouseModel();
  const accepted: string[] = [];
  let cluster: Cluster;
  let logs: KafkaLogs;
  let log: UploadLog;
  let token: string;
  let gateway: ServiceProcess;
  let ingest: ServiceProcess;
  let status: ServiceProcess;
  let number = 0;

  beforeAll(async () => {
    cluster = await Cluster.open({ env: ENV });
    token = await tokenFor(cluster.sharedDir, 'acme');
    [gateway, ingest, status] = await Promise.all([
      cluster.start('gateway'),
      cluster.start('ingest'),
      cluster.start('status'),
    ]);
    logs = new KafkaLogs(() => [cluster.broker.address]);
    log = await logs.open({ prefix: 'custom-data.' });
  });
  afterAll(async () => {
    await logs.cleanUp();
    await cluster.close();
  });

  const clientOf = ({ ports }: ServiceProcess): ApiClient => new ApiClient(() => ports.api, token);

  /** Returns rows with new keys, so that uploads at the same time may be accepted in any order. */
  function rowsOf(count: number): CsvRow[] {
    const name = `upload ${number++} ${'x'.repeat(100)}`;
    return Array.from({ length: count }, (_, i) => ({
      date: `2026-02-${String(1 + (i % 28)).padStart(2, '0')}`,
      channel: 'news',
      currency: 'EUR',
      campaign: name,
      impressions: String(i),
      clicks: '1',
      cost: '0.5',
    }));
  }

  async function upload(rows: readonly CsvRow[], overMs = 0): Promise<void> {
    const answer = await clientOf(gateway).post('cost', csvOf(COST, rows), overMs);
    expect(answer.status).toBe(201);
    accepted.push(((await answer.json()) as { requestId: string }).requestId);
    model.apply('acme', COST, rows);
  }

  /** Sends the file until the gateway gives the expected answer, after it has looked again. */
  async function untilAnswered(
    through: ServiceProcess,
    rows: readonly CsvRow[],
    expected: 201 | 503,
  ): Promise<Response> {
    const until = Date.now() + 2 * LOOK_MS;
    for (;;) {
      const answer = await clientOf(through).post('cost', csvOf(COST, rows));
      if (answer.status === expected) return answer;
      expect(answer.status).toBe(expected === 201 ? 503 : 201);
      if (answer.status === 201) {
        accepted.push(((await answer.json()) as { requestId: string }).requestId);
        model.apply('acme', COST, rows);
      }
      if (Date.now() > until) throw new Error(`still ${answer.status}, not ${expected}`);
      await sleep(500);
    }
  }

  test('for longer than the deadline of uploads and half of the retention: nothing accepted is lost', async () => {
    await upload(rowsOf(10));
    await ingestIdle(log);
    const later = await cluster.start('gateway', clockShiftedBy(31 * 60_000));
    await cluster.clickhouse.fault({ kind: 'hang' });

    // 1. Partitions are paused while uploads in them are open.
    const open = Array.from({ length: OPEN }, () => upload(rowsOf(4_000), OPEN_MS));
    await sleep(OPEN_MS / 4);
    for (let i = 0; i < 3; i++) await upload(rowsOf(4_000));
    await Promise.all(open);
    for (let i = 0; i < 3; i++) await upload(rowsOf(100));
    const pausedAt = Date.now();
    let inFlight = await ingest.metric('custom_data_uploads_in_flight');
    for (let before = -1; before !== inFlight;) {
      before = inFlight;
      await sleep(2_000);
      inFlight = await ingest.metric('custom_data_uploads_in_flight');
    }
    expect(await ingest.metric('custom_data_open_uploads')).toBeGreaterThan(0);
    expect(inFlight).toBeGreaterThan(0);
    expect(inFlight).toBeLessThan(accepted.length - 1);

    // 2. A gateway refuses uploads when half of the retention has passed on its clock.
    const rows = rowsOf(2);
    const refused = await untilAnswered(later, rows, 503);
    expect(refused.headers.get('Retry-After')).toMatch(/^\d+$/);

    // 3. New records move every partition to a time at which the open uploads look abandoned.
    await sleep(pausedAt + DROP_AFTER_MS + 3_000 - Date.now());
    const ends = await log.endOffsets('uploads');
    do await upload(rowsOf(3));
    while ((await log.endOffsets('uploads')).some((end, partition) => end === ends[partition]));
    expect(await ingest.metric('custom_data_uploads_in_flight')).toBe(inFlight);

    await cluster.clickhouse.heal();
    countFault('warehouse away for longer than every deadline');
    const client = clientOf(gateway);
    for (const requestId of accepted) {
      expect(await client.finished('cost', requestId)).toMatchObject({
        status: 'succeeded',
        prevStatus: 'ingested',
        reason: null,
      });
    }
    await expectViewsToEqual(cluster, model, 'acme');

    // 4. The gateway accepts again by itself, and its fast clock does not make its uploads win.
    const answer = await untilAnswered(later, rows, 201);
    accepted.push(((await answer.json()) as { requestId: string }).requestId);
    model.apply('acme', COST, rows);
    await upload(rows.map((row) => ({ ...row, cost: '2' })));
    for (const id of accepted.slice(-2)) {
      expect(await client.finished('cost', id)).toMatchObject({ status: 'succeeded' });
    }
    await expectViewsToEqual(cluster, model, 'acme');
    await expectInvariants(status, cluster, {
      account: 'acme',
      succeeded: accepted,
      rows: model.rowsApplied('acme'),
    });
    expect(
      await cluster.query(
        'SELECT status, count() AS requests FROM upload_requests GROUP BY status',
      ),
    ).toEqual([{ status: 'succeeded', requests: accepted.length }]);
  });
});
