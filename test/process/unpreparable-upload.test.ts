import { afterAll, beforeAll, expect, test } from '@jest/globals';

import type { UploadRequestRecord } from '../../src/status/transition.js';
import { ApiClient } from '../support/service/api-client.js';
import { Deployment } from '../support/service/deployment.js';
import { unpreparable } from '../support/service/preloads/preload.js';
import { tokenFor } from '../support/service/service-process.js';

/** Uploads that make the preparing thread throw or end. */

const INNOCENT = 12;

let deployment: Deployment;
let client: ApiClient;

beforeAll(async () => {
  deployment = await Deployment.open({ log: 'lmdb', warehouse: 'chdb' });
  const token = await tokenFor(deployment.dataDir, 'acme');
  client = new ApiClient(() => deployment.service.ports.api, token);
  await deployment.start(unpreparable('throwing', 'ending'));
});
afterAll(() => deployment.close());

/** Returns a file that is large enough to reach a thread in several parts. */
function file(campaign: string): string {
  const lines = Array.from(
    { length: 5_000 },
    (_, i) => `2026-01-01,news,EUR,${campaign} ${i},1,2,3`,
  );
  return `date,channel,currency,campaign,impressions,clicks,cost\n${lines.join('\n')}\n`;
}

test('they are set aside, and the ones beside them succeed, in the same process', async () => {
  const { pid } = deployment.service.process;
  const innocent: string[] = [];
  const send = async (name: string): Promise<void> => {
    innocent.push((await client.create('cost', file(name))).requestId);
  };
  const sent = Array.from({ length: INNOCENT }, (_, i) => send(`innocent-${i}`));
  const guilty = await Promise.all(
    ['throwing', 'ending'].map((name) => client.create('cost', file(name))),
  );
  sent.push(...Array.from({ length: INNOCENT }, (_, i) => send(`later-${i}`)));
  await Promise.all(sent);

  const failed: UploadRequestRecord[] = [];
  for (const { requestId } of guilty) failed.push(await client.finished('cost', requestId));
  for (const record of failed) {
    expect(record).toMatchObject({ status: 'failed', prevStatus: 'uploaded' });
    expect(Object.keys(JSON.parse(record.reason!) as object)).toEqual(['file']);
  }
  for (const requestId of innocent) {
    expect(await client.finished('cost', requestId)).toMatchObject({ status: 'succeeded' });
  }
  expect(deployment.service.process.exitCode).toBe(null);
  expect(deployment.service.process.pid).toBe(pid);
  const list = await deployment.customData('dead-letter', 'list');
  expect(list).toMatch(new RegExp(`${guilty[0]!.requestId} .*cannot be prepared \\(RangeError\\)`));
  expect(list).toMatch(new RegExp(`${guilty[1]!.requestId} .*cannot be prepared \\(Error\\)`));
  expect(
    await deployment.service.metric('custom_data_dead_letters_total', 'cause="exception"'),
  ).toBe(2);

  // Nothing is left to do, and the fault is repaired. The uploads come back complete.
  expect(await deployment.service.stop()).toBe(0);
  await deployment.start();
  for (const { requestId } of guilty) {
    const retried = (await deployment.customData('dead-letter', 'retry', requestId)).trim();
    expect(await client.finished('cost', retried)).toMatchObject({ status: 'succeeded' });
  }
  const [{ rows }] = (await deployment.query<{ rows: number }>(
    "SELECT count() AS rows FROM cost_rows WHERE account = 'acme'",
  )) as [{ rows: number }];
  expect(rows).toBe((2 * INNOCENT + 2) * 5_000);
});
