import { setTimeout as sleep } from 'node:timers/promises';

import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';

import { ApiClient } from '../../support/service/api-client.js';
import { Cluster } from '../../support/service/cluster.js';
import { expectViewsToEqual } from '../../support/model/compare-views.js';
import { describeWithBroker } from '../../support/kafka/describe-with-broker.js';
import { Load } from '../../support/service/load.js';
import { type ServiceProcess, tokenFor } from '../../support/service/service-process.js';
import { countFault } from '../../support/service/soak.js';
import { COST, csvOf, type CsvRow, WarehouseModel } from '../../support/model/warehouse-model.js';
import { until } from '../../support/until.js';

/** Processes that are stopped, considered dead, and go on as if nothing had happened. */

const ACCOUNTS = ['acme', 'beta'] as const;

describeWithBroker('a process that is stopped and goes on', () => {
  let cluster: Cluster;
  let gateways: [ServiceProcess, ServiceProcess];
  let ingest: ServiceProcess;
  let status: ServiceProcess;
  let tokens: string[];
  beforeAll(async () => {
    // The first timeout is short, to retry an unanswered insert soon. The second is long: an append
    // that waits for a stopped process must not count as unanswered.
    cluster = await Cluster.open({
      env: {
        CLICKHOUSE_TIMEOUT_SECONDS: '5',
        LOG_TIMEOUT_SECONDS: '60',
        // A quarter of it without a byte would end the uploads of a stopped gateway.
        UPLOAD_DEADLINE_SECONDS: '600',
      },
    });
    // A running gateway takes up to a second to accept a new token.
    tokens = await Promise.all(ACCOUNTS.map((account) => tokenFor(cluster.sharedDir, account)));
    [gateways, ingest, status] = await Promise.all([
      Promise.all([cluster.start('gateway'), cluster.start('gateway')]),
      cluster.start('ingest'),
      cluster.start('status'),
    ]);
  });
  afterEach(() => cluster.clickhouse.heal());
  afterAll(() => cluster.close());

  const clientOf = (account: number, gateway: 0 | 1): ApiClient =>
    new ApiClient(() => gateways[gateway].ports.api, tokens[account]!);

  const rowsOf = (count: number, cost: string): CsvRow[] =>
    Array.from({ length: count }, (_, i) => ({
      date: '2026-02-01',
      channel: 'news',
      currency: 'EUR',
      campaign: `campaign ${i}`,
      impressions: '1',
      clicks: '1',
      cost,
      // Few rows then make a file of several chunks, and fewer are compared.
      ad_group: 'x'.repeat(200),
    }));

  test('a gateway, stopped amid a body: the upload is accepted, and it knows what came meanwhile', async () => {
    const { sharedDir } = cluster;
    const port = (client: number): number => gateways[client % 2]!.ports.api;
    const load = await Load.create({ clients: 4, accounts: 'beside', dataDir: sharedDir, port });
    load.start();
    const model = new WarehouseModel();

    const across = rowsOf(1_600, '1');
    const answer = clientOf(0, 0).post('cost', csvOf(COST, across), 4_000);
    await sleep(2_000);
    gateways[0].process.kill('SIGSTOP');
    const meanwhile = [rowsOf(900, '2'), rowsOf(100, '3')];
    await clientOf(0, 1).upload('cost', csvOf(COST, meanwhile[0]!));
    model.apply('acme', COST, meanwhile[0]!);
    const { requestId } = await clientOf(1, 1).create('cost', csvOf(COST, meanwhile[1]!));
    model.apply('beta', COST, meanwhile[1]!);
    await sleep(4_000);
    gateways[0].process.kill('SIGCONT');
    countFault('process stopped, going on later');

    const after = rowsOf(50, '4');
    const read = clientOf(1, 0).get('cost', requestId);
    await clientOf(1, 0).upload('cost', csvOf(COST, after));
    model.apply('beta', COST, after);
    expect((await read).status).toBe(200);
    // The service accepted it after the other uploads of its account.
    expect((await answer).status).toBe(201);
    model.apply('acme', COST, across);
    const record = (await (await answer).json()) as { requestId: string };
    expect(await clientOf(0, 0).finished('cost', record.requestId)).toMatchObject({
      status: 'succeeded',
    });

    await load.stop();
    await load.expectAllAsModelled(cluster, status);
    for (const account of ACCOUNTS) await expectViewsToEqual(cluster, model, account);
  });

  test('ingest and status, stopped with uploads unwritten: what they write in the end replaces nothing later', async () => {
    const { sharedDir, clickhouse } = cluster;
    const port = (client: number): number => gateways[client % 2]!.ports.api;
    const files = { pauseMs: 100 };
    const load = await Load.create({ clients: 4, dataDir: sharedDir, port, files });
    const storedBefore = await rowsStored(ingest);
    await clickhouse.fault({ kind: 'hang', on: 'insert' });
    load.start();
    await load.atLeast(6);
    await until(async () => (await ingest.metric('custom_data_uploads_in_flight')) >= 12, 50);
    ingest.process.kill('SIGSTOP');
    status.process.kill('SIGSTOP');
    await clickhouse.heal();

    // The other processes get the partitions when the sessions end.
    const [nextIngest, nextStatus] = await Promise.all([
      cluster.start('ingest'),
      cluster.start('status'),
    ]);
    await until(async () => (await rowsStored(nextIngest)) !== 0, 200);
    await load.atLeast(load.fewest + 6);
    await load.stop();
    await load.expectAllAsModelled(cluster, nextStatus);

    // Nothing else inserts now, so the next inserts come from these processes.
    const { inserts } = await clickhouse.counts();
    status.process.kill('SIGCONT');
    await until(async () => (await clickhouse.counts()).inserts !== inserts, 50);
    ingest.process.kill('SIGCONT');
    await until(async () => (await rowsStored(ingest)) !== storedBefore, 50);
    await until(async () => (await ingest.metric('custom_data_uploads_in_flight')) <= 0, 50);
    countFault('process stopped, going on later', 2);
    await load.expectAllAsModelled(cluster, nextStatus);
    await load.expectAllAsModelled(cluster, status);
  });
});

const rowsStored = (process: ServiceProcess): Promise<number> =>
  process.metric('custom_data_rows_stored_total');
