import { setTimeout as sleep } from 'node:timers/promises';

import { afterAll, beforeAll, expect, test } from '@jest/globals';

import { ApiClient } from '../../support/service/api-client.js';
import { Cluster } from '../../support/service/cluster.js';
import { freePorts } from '../../support/machine/free-ports.js';
import { describeWithBroker } from '../../support/kafka/describe-with-broker.js';
import { Load } from '../../support/service/load.js';
import { type ServiceProcess, tokenFor } from '../../support/service/service-process.js';
import { IS_SOAK } from '../../support/service/soak.js';
import { COST, csvOf } from '../../support/model/warehouse-model.js';
import { until } from '../../support/until.js';

/** The scaled-out service while its broker has not started, is killed, or hangs. */

const ROLES = ['gateway', 'ingest', 'status'] as const;
const KILLS = IS_SOAK ? 3 : 1;
/** Longer than the log's timeout. */
const HANG_MS = 6_000;
const UNKNOWN = '01a1fc79-8621-7384-bedd-a6780237cfbd';
const FILE = csvOf(COST, [
  {
    date: '2026-02-01',
    channel: 'news',
    currency: 'EUR',
    campaign: 'one',
    impressions: '1',
    clicks: '1',
    cost: '0.5',
  },
]);

describeWithBroker('the broker', () => {
  let cluster: Cluster;
  let processes: ServiceProcess[];
  let client: ApiClient;
  beforeAll(async () => {
    cluster = await Cluster.open({ env: { LOG_TIMEOUT_SECONDS: '4' } });
    const token = await tokenFor(cluster.sharedDir, 'acme');
    client = new ApiClient(() => processes[0]!.ports.api, token);
  });
  afterAll(() => cluster.close(), 120_000);

  const readiness = async (process: ServiceProcess): Promise<{ code: number; answer: unknown }> => {
    const answer = await process.readiness();
    return { code: answer.status, answer: await answer.json() };
  };

  /** A client cannot create, but can read what the gateway knows. So the gateway stays ready. */
  async function expectAway(known: string): Promise<void> {
    // An upload that was already under way may still be acknowledged.
    await until(async () => (await client.post('cost', FILE)).status === 503);
    const refused = await client.post('cost', FILE);
    expect(refused.status).toBe(503);
    expect(Number(refused.headers.get('Retry-After'))).toBeGreaterThan(0);
    const read = await client.get('cost', known);
    expect(await read.json()).toMatchObject({ requestId: known, status: 'succeeded' });
    // The record of this request may not have reached the gateway yet.
    const unknown = await client.get('cost', UNKNOWN);
    expect(unknown.status).toBe(503);
    expect(Number(unknown.headers.get('Retry-After'))).toBeGreaterThan(0);
    const [gateway, ingest] = processes;
    expect(await readiness(gateway!)).toEqual({
      code: 200,
      answer: {
        status: 'degraded',
        checks: { service: 'ok', status: 'ok', log: expect.stringMatching(/^(?!ok$)./) },
      },
    });
    await until(async () => (await readiness(ingest!)).code === 503);
  }

  /** The id of an upload that has succeeded. The log may be late at first, beside other tests. */
  async function uploaded(): Promise<string> {
    let answer = await client.post('cost', FILE);
    while (answer.status === 503) answer = await client.post('cost', FILE);
    expect(answer.status).toBe(201);
    const { requestId } = (await answer.json()) as { requestId: string };
    await client.finished('cost', requestId);
    return requestId;
  }

  async function underLoad(accounts: string, work: (load: Load) => Promise<void>): Promise<void> {
    const { sharedDir } = cluster;
    const port = (): number => processes[0]!.ports.api;
    const files = { pauseMs: 100 };
    const load = await Load.create({ clients: 4, accounts, dataDir: sharedDir, port, files });
    load.start();
    await load.atLeast(2);
    await work(load);
    await load.stop();
    await load.expectAllAsModelled(cluster, processes[2]!);
  }

  test('away at the start: every process waits, live and not ready, and comes up', async () => {
    await cluster.broker.kill();
    const ports = await freePorts(3);
    const starts = ROLES.map((role, i) => cluster.start(role, { OPS_PORT: String(ports[i]) }));
    let listening = 0;
    for (const start of starts) void start.then(() => listening++);
    const answer = async (port: number, path: string): Promise<number | undefined> =>
      (await fetch(`http://127.0.0.1:${port}${path}`).catch(() => undefined))?.status;
    for (const port of ports) {
      await until(async () => (await answer(port, '/health/live')) === 200);
      expect(await answer(port, '/health/ready')).toBe(503);
    }
    await sleep(2_000);
    expect(listening).toBe(0);
    await cluster.broker.restart();
    processes = await Promise.all(starts);
    for (const port of ports) {
      await until(async () => (await answer(port, '/health/ready')) === 200);
    }
    await underLoad('start', (load) => load.atLeast(6));
  });

  test('killed again and again: creates are refused, what is known is read, and all goes on', async () => {
    const requestId = await uploaded();
    await underLoad('kill', async (load) => {
      for (let kill = 0; kill < KILLS; kill++) {
        await sleep(Math.random() * 1_000);
        await cluster.broker.kill();
        await expectAway(requestId);
        await cluster.broker.restart();
        await load.atLeast(load.fewest + 2);
      }
    });
  });

  test('hanging is the same as being away', async () => {
    const requestId = await uploaded();
    await underLoad('hang', async (load) => {
      cluster.broker.signal('SIGSTOP');
      try {
        const end = Date.now() + HANG_MS;
        await expectAway(requestId);
        await sleep(Math.max(0, end - Date.now()));
      } finally {
        cluster.broker.signal('SIGCONT');
      }
      await load.atLeast(load.fewest + 2);
    });
  });
});
