import { setTimeout as sleep } from 'node:timers/promises';

import { afterAll, beforeAll, expect, test } from '@jest/globals';

import { TARGET_BYTES } from '../../../src/gateway/create/receive/chunker.js';
import { ApiClient } from '../../support/service/api-client.js';
import {
  makeMigratedDir,
  removeDataDir,
  ServiceProcess,
  tokenFor,
} from '../../support/service/service-process.js';
import { until } from '../../support/until.js';

/** Longer than the tests take: a batch that waits for this time fails them. */
const BATCH_MAX_MS = '30000';
const ROWS = 9_000;
const MOST_TRIES = 10;

let dataDir: string;
let service: ServiceProcess;
let client: ApiClient;

beforeAll(async () => {
  dataDir = await makeMigratedDir();
  const token = await tokenFor(dataDir, 'acme');
  service = await ServiceProcess.start(dataDir, { BATCH_MAX_MS });
  client = new ApiClient(() => service.ports.api, token);
});
afterAll(async () => {
  await service.kill();
  await removeDataDir(dataDir);
});

test('an upload shares the batch of one that is still coming', async () => {
  // Ingest waits 100 ms for the next chunk. On a busy machine one may come later.
  let batches = 0;
  for (let tries = 0; batches !== 1 && tries < MOST_TRIES; tries++) batches = await batchesOfTwo();
  expect(batches).toBe(1);
});

/** Sends an upload while a large one is still coming. Returns the number of their batches. */
async function batchesOfTwo(): Promise<number> {
  const before = await stored();
  const large = client.post('cost', file(ROWS), 500);
  await isOpen();
  const small = await client.create('cost', file(1));
  const answer = await large;
  expect(answer.status).toBe(201);
  const { requestId } = (await answer.json()) as { requestId: string };
  expect(await client.finished('cost', requestId)).toMatchObject({ status: 'succeeded' });
  expect(await client.finished('cost', small.requestId)).toMatchObject({ status: 'succeeded' });
  const after = await stored();
  expect(after.uploads).toBe(before.uploads + 2);
  return after.batches - before.batches;
}

async function stored(): Promise<{ readonly batches: number; readonly uploads: number }> {
  return {
    batches: await service.metric('custom_data_batch_uploads_count'),
    uploads: await service.metric('custom_data_batch_uploads_sum'),
  };
}

test('an upload does not wait for one whose client has stopped', async () => {
  const large = file(ROWS);
  const stalled = client.postHalf('cost', large).catch(() => undefined);
  // What is left of the half does not fill a chunk.
  await isOpen(large.length / 2 - TARGET_BYTES);
  await sleep(200);
  const started = performance.now();
  expect(await client.upload('cost', file(1))).toMatchObject({ status: 'succeeded' });
  expect(performance.now() - started).toBeLessThan(Number(BATCH_MAX_MS) / 2);
  await service.kill();
  await stalled;
});

function file(rows: number): string {
  const lines = Array.from(
    { length: rows },
    (_, i) => `2026-03-01,radio,EUR,${'Campaign '.repeat(8)}${i},9,2,1.5`,
  );
  return ['date,channel,currency,campaign,impressions,clicks,cost', ...lines, ''].join('\n');
}

/** Resolves when ingest has read so many bytes of an upload, but not all of it. */
async function isOpen(bytes = 1): Promise<void> {
  await until(async () => (await service.metric('custom_data_open_upload_bytes')) >= bytes, 5);
}
