import { setTimeout as sleep } from 'node:timers/promises';

import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';

import { ApiClient } from '../../support/service/api-client.js';
import type { ClickHouseHttp } from '../../support/clickhouse/clickhouse-http.js';
import { expectViewsToEqual } from '../../support/model/compare-views.js';
import type { Transition } from '../../../src/status/transition.js';
import { Deployment } from '../../support/service/deployment.js';
import { tokenFor } from '../../support/service/service-process.js';
import { IS_SOAK } from '../../support/service/soak.js';
import {
  COST,
  csvOf,
  type CsvRow,
  SELF_SERVE,
  WarehouseModel,
} from '../../support/model/warehouse-model.js';
import { until } from '../../support/until.js';

/** The built service while its ClickHouse server is away, hangs, dies, or loses its answers. */

const MIB = 1_048_576;
/** Longer than its timeout. */
const AWAY_MS = IS_SOAK ? 5_000 : 2_000;
const ACCOUNT = 'acme';
const TIMEOUT_MS = 1_000;
const SETTINGS = {
  CLICKHOUSE_TIMEOUT_SECONDS: String(TIMEOUT_MS / 1_000),
  // Less than the uploads that wait, so that not all of them fit into memory.
  WAITING_UPLOADS_MAX_BYTES: String(2 * MIB),
};
const SHUTDOWN_SECONDS = 1;
/** SHUTDOWN_SECONDS plus five seconds, and one for a busy machine that notices the end late. */
const END_MS = (SHUTDOWN_SECONDS + 5 + 1) * 1_000;

let deployment: Deployment;
let server: ClickHouseHttp;
let client: ApiClient;
const model = new WarehouseModel();

beforeAll(async () => {
  deployment = await Deployment.open({ log: 'lmdb', warehouse: 'clickhouse' });
  server = deployment.clickhouse!;
  const token = await tokenFor(deployment.dataDir, ACCOUNT);
  client = new ApiClient(() => deployment.service.ports.api, token);
  await deployment.start(SETTINGS);
});
afterEach(() => server.heal());
afterAll(() => deployment.close());

let files = 0;

/** Returns rows that overwrite half of what the previous file stored. */
function rows(count: number): CsvRow[] {
  const number = files++;
  return Array.from({ length: count }, (_, i) => ({
    date: `2026-02-${String(1 + (i % 28)).padStart(2, '0')}`,
    channel: 'news',
    currency: 'EUR',
    campaign: `campaign ${(number + Math.floor(i / 28)) % 7}`,
    impressions: String(i),
    clicks: String(number),
    cost: String(number / 4),
    ad_group: `a group with a name that makes the file larger, number ${i % 50}`,
  }));
}

async function post(count: number): Promise<string> {
  const content = rows(count);
  const { requestId } = await client.create('cost', csvOf(COST, content));
  model.apply(ACCOUNT, COST, content);
  return requestId;
}

async function expectAllSucceeded(requests: readonly string[]): Promise<void> {
  for (const requestId of requests) {
    expect(await client.finished('cost', requestId)).toMatchObject({
      status: 'succeeded',
      prevStatus: 'ingested',
      reason: null,
    });
  }
  await expectViewsToEqual(deployment, model, ACCOUNT);
}

async function residentBytes(): Promise<number> {
  const found = /^process_resident_memory_bytes (\S+)$/m.exec(await deployment.service.metrics());
  return Number(found![1]);
}

const statusOf = async (requestId: string): Promise<unknown> =>
  await (await client.get('cost', requestId)).json();

test('uploads are accepted while it is away, wait as validated, and all succeed when it is back', async () => {
  await expectAllSucceeded([await post(1_000)]);
  await server.refuse();
  const requests: string[] = [];
  const before = await residentBytes();
  const end = Date.now() + AWAY_MS;
  // Each file has about 100 KB.
  while (Date.now() < end || requests.length < 100) requests.push(await post(1_000));
  await sleep(500);
  expect(await statusOf(requests[0]!)).toMatchObject({
    status: 'validated',
    prevStatus: 'uploaded',
  });
  expect(await statusOf(requests.at(-1)!)).toMatchObject({ status: 'uploaded' });
  expect((await residentBytes()) - before).toBeLessThan(192 * MIB);
  // The gateway is still ready for uploads.
  const { ops } = deployment.service.ports;
  expect((await fetch(`http://127.0.0.1:${ops}/health/ready`)).status).toBe(200);
  await server.heal();
  await expectAllSucceeded(requests);
});

test('while it hangs, each try ends at the timeout', async () => {
  const { struck } = await server.counts();
  await server.fault({ kind: 'hang' });
  const requests = [await post(10), await post(10)];
  await sleep(2.5 * TIMEOUT_MS);
  await until(
    async () => ((await statusOf(requests[0]!)) as Transition).status === 'validated',
    100,
  );
  // Two batches, or one and what repeats it.
  expect((await server.counts()).struck).toBeGreaterThan(struck + 1);
  await server.heal();
  await expectAllSucceeded(requests);
});

test('what is killed and comes back has what it acknowledged', async () => {
  const requests = [await post(2_000), await post(2_000)];
  await server.kill();
  requests.push(await post(2_000), await post(10));
  await sleep(500);
  await server.restart();
  await expectAllSucceeded(requests);
});

test.each(['hang-after', 'fail-after', 'cut-answer'] as const)(
  '%s: stored batches whose answer is lost are stored again, and nothing is doubled',
  async (kind) => {
    const { struck } = await server.counts();
    await server.fault({ kind, on: 'insert', times: 4 });
    const requests = [await post(500), await post(500), await post(500)];
    const today = new Date().toISOString().slice(0, 10);
    const metrics = [
      { date: today, channel: 'news', event_category: 'visits', event_value: '1' },
      { date: today, channel: 'news', event_category: 'visits', event_value: '2' },
    ];
    await client.upload('self-serve', csvOf(SELF_SERVE, metrics));
    model.apply(ACCOUNT, SELF_SERVE, metrics);
    await expectAllSucceeded(requests);
    expect((await server.counts()).struck).toBe(struck + 4);
  },
  60_000,
);

test('told to end while it is away, the service ends in time, and the next one goes on', async () => {
  expect(await deployment.service.stop()).toBe(0);
  await deployment.start({ ...SETTINGS, SHUTDOWN_SECONDS: String(SHUTDOWN_SECONDS) });
  await server.refuse();
  const requests = [await post(10), await post(10)];
  await client.until('cost', requests[0]!, 'validated');
  const from = performance.now();
  expect(await deployment.service.stop()).toBe(0);
  expect(performance.now() - from).toBeLessThan(END_MS);
  await server.heal();
  await deployment.start(SETTINGS);
  await expectAllSucceeded(requests);
});
