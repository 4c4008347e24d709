import { setTimeout as sleep } from 'node:timers/promises';

import { afterEach, beforeEach, expect, test } from '@jest/globals';

import { ApiClient } from '../support/service/api-client.js';
import { stallingTails } from '../support/service/preloads/preload.js';
import {
  makeMigratedDir,
  removeDataDir,
  ServiceProcess,
  tokenFor,
} from '../support/service/service-process.js';
import { until } from '../support/until.js';

/** A gateway whose view of the status topic does not move while the topic does. */

const FILE =
  'date,channel,currency,campaign,impressions,clicks,cost\n2026-01-01,news,EUR,a,1,2,3\n';
const STALLED_SECONDS = 2;

let dataDir: string;
let service: ServiceProcess;
let client: ApiClient;

beforeEach(async () => {
  dataDir = await makeMigratedDir();
  const token = await tokenFor(dataDir, 'acme');
  service = await ServiceProcess.start(dataDir, {
    ...stallingTails(),
    STATUS_VIEW_STALLED_SECONDS: String(STALLED_SECONDS),
  });
  client = new ApiClient(() => service.ports.api, token);
});
afterEach(async () => {
  await service.kill();
  await removeDataDir(dataDir);
});

async function readiness(): Promise<{ status: number; checks: Record<string, string> }> {
  const answer = await service.readiness();
  const { checks } = (await answer.json()) as { checks: Record<string, string> };
  return { status: answer.status, checks };
}

test('it is not ready until its view moves again', async () => {
  await client.upload('cost', FILE);
  // A view that has nothing to read has not stalled.
  await sleep(2 * STALLED_SECONDS * 1_000);
  expect(await readiness()).toMatchObject({ status: 200, checks: { status: 'ok' } });

  service.process.kill('SIGUSR2');
  await sleep(500);
  const from = performance.now();
  const { requestId } = await client.create('cost', FILE);
  await until(async () => (await readiness()).status !== 200, 100);
  expect(performance.now() - from).toBeGreaterThan(STALLED_SECONDS * 1_000 - 600);
  const { status, checks } = await readiness();
  expect(status).toBe(503);
  expect(checks['service']).toBe('ok');
  expect(checks['status']).toMatch(/^the view of the status topic has not moved/);

  service.process.kill('SIGUSR2');
  expect(await client.finished('cost', requestId)).toMatchObject({ status: 'succeeded' });
  expect(await readiness()).toMatchObject({ status: 200, checks: { status: 'ok' } });
});
