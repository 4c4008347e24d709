import { setTimeout as sleep } from 'node:timers/promises';

import { afterAll, beforeAll, expect, test } from '@jest/globals';

import type { ApiClient } from '../../support/service/api-client.js';
import { clientOf } from '../../support/service/client-of.js';
import { Cluster } from '../../support/service/cluster.js';
import { describeWithBroker } from '../../support/kafka/describe-with-broker.js';
import { expectLargeFilesUnmixed } from '../../support/files/large-files.js';
import type { ServiceProcess } from '../../support/service/service-process.js';
import { COST, csvOf } from '../../support/model/warehouse-model.js';
import { until } from '../../support/until.js';

/** The roles in separate processes, on Kafka and ClickHouse. */

describeWithBroker('roles', () => {
  const ROLES = ['gateway', 'ingest', 'status'] as const;
  const processes = new Map<string, ServiceProcess>();
  let cluster: Cluster;

  beforeAll(async () => {
    cluster = await Cluster.open();
    await Promise.all(ROLES.map(async (role) => processes.set(role, await cluster.start(role))));
  });
  afterAll(() => cluster.close());

  /** A client whose token the running gateway accepts. */
  const clientWith = (account: string): Promise<ApiClient> =>
    clientOf(account, cluster.sharedDir, () => processes.get('gateway')!);

  test.each(ROLES)('the %s process is ready at a port of its own', async (role) => {
    const { ops } = processes.get(role)!.ports;
    const health = async (): Promise<string> =>
      (await fetch(`http://127.0.0.1:${ops}/health/ready`)).text();
    await until(async () => (await health()).includes('"status":"ok"'), 100);
    expect((await fetch(`http://127.0.0.1:${ops}/metrics`)).status).toBe(200);
  });

  test('only the gateway opens an API', () => {
    expect(processes.get('gateway')!.ports.api).toBeGreaterThan(0);
    for (const role of ['ingest', 'status']) {
      expect(Object.keys(processes.get(role)!.ports)).not.toContain('api');
      expect(Object.keys(processes.get(role)!.ports)).not.toContain('query');
    }
  });

  test('together they take an upload from HTTP to the reports and the history', async () => {
    const client = await clientWith('acme');
    const row = { date: '2026-02-01', channel: 'news', currency: 'EUR', campaign: 'one' };
    const metrics = { impressions: '1', clicks: '1', cost: '0.5' };
    const { requestId } = await client.create('cost', csvOf(COST, [{ ...row, ...metrics }]));
    expect(await client.finished('cost', requestId)).toMatchObject({ status: 'succeeded' });
    expect(await cluster.query('SELECT account, cost FROM cost_report')).toEqual([
      { account: 'acme', cost: 0.5 },
    ]);
    const history = `SELECT status FROM upload_requests WHERE request_id = '${requestId}'`;
    for (let rows: unknown[] = []; ; rows = await cluster.query(history)) {
      if (JSON.stringify(rows) === '[{"status":"succeeded"}]') break;
      await sleep(100);
    }
  });

  test('a file that is written over the columns of an earlier one leaves its rows as they were', async () => {
    const client = await clientWith('large');
    await expectLargeFilesUnmixed(client, 'large', cluster, processes.get('ingest')!);
  });

  test.each(ROLES)('the %s process ends cleanly at a signal', async (role) => {
    expect(await processes.get(role)!.stop()).toBe(0);
  });
});
