import { afterAll, beforeAll, expect, test } from '@jest/globals';

import type { UploadRequestRecord } from '../../../src/status/transition.js';
import { ApiClient } from '../../support/service/api-client.js';
import { expectLargeFilesUnmixed } from '../../support/files/large-files.js';
import {
  makeMigratedDir,
  removeDataDir,
  ServiceProcess,
  tokenFor,
} from '../../support/service/service-process.js';

/** What needs a whole service, but none of its own. Each test has an account. */

let dataDir: string;
let service: ServiceProcess;
const tokens = new Map<string, string>();

beforeAll(async () => {
  dataDir = await makeMigratedDir();
  for (const account of ['large', 'waiting']) tokens.set(account, await tokenFor(dataDir, account));
  service = await ServiceProcess.start(dataDir);
});
afterAll(async () => {
  await service.kill();
  await removeDataDir(dataDir);
});

const clientOf = (account: string): ApiClient =>
  new ApiClient(() => service.ports.api, tokens.get(account)!);

test('a file that is written over the columns of an earlier one leaves its rows as they were', async () => {
  await expectLargeFilesUnmixed(clientOf('large'), 'large', service, service);
});

test('a client that asks to wait sees a request through with a read a state', async () => {
  let record = await clientOf('waiting').create(
    'cost',
    'date,channel,currency,campaign,impressions,clicks,cost\n2026-02-01,news,EUR,wait,1,1,0.5\n',
  );
  const seen = [record.status];
  while (record.status !== 'succeeded') {
    const url = `http://127.0.0.1:${service.ports.api}/custom-data-upload/v1.0/cost/requests/${record.requestId}`;
    const answer = await fetch(url, {
      headers: { Authorization: `SERVICE-API-KEY ${tokens.get('waiting')!}`, Prefer: 'wait=20' },
    });
    expect(answer.headers.get('preference-applied')).toBe('wait=20');
    record = (await answer.json()) as UploadRequestRecord;
    // Every answer is new: states may be skipped, but none comes twice.
    expect(seen).not.toContain(record.status);
    seen.push(record.status);
  }
  expect(seen.length).toBeLessThanOrEqual(4);
});
