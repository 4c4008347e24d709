import { afterAll, beforeAll, expect, test } from '@jest/globals';

import type { UploadRequestRecord } from '../../../src/status/transition.js';
import { ApiClient } from '../../support/service/api-client.js';
import { Deployment } from '../../support/service/deployment.js';
import { tokenFor } from '../../support/service/service-process.js';

let deployment: Deployment;
let token: string;
beforeAll(async () => {
  deployment = await Deployment.open({ log: 'lmdb', warehouse: 'chdb' });
  token = await tokenFor(deployment.dataDir, 'acme');
  await deployment.start();
});
afterAll(() => deployment.close());

test('a client that asks to wait sees a request through with a read a state', async () => {
  const client = new ApiClient(() => deployment.service.ports.api, token);
  let record = await client.create(
    'cost',
    'date,channel,currency,campaign,impressions,clicks,cost\n2026-02-01,news,EUR,wait,1,1,0.5\n',
  );
  const seen = [record.status];
  while (record.status !== 'succeeded') {
    const answer = await fetch(
      `http://127.0.0.1:${deployment.service.ports.api}/custom-data-upload/v1.0/cost/requests/${record.requestId}`,
      { headers: { Authorization: `SERVICE-API-KEY ${token}`, Prefer: 'wait=20' } },
    );
    expect(answer.headers.get('preference-applied')).toBe('wait=20');
    record = (await answer.json()) as UploadRequestRecord;
    // Every answer is new: states may be skipped, but none comes twice.
    expect(seen).not.toContain(record.status);
    seen.push(record.status);
  }
  expect(seen.length).toBeLessThanOrEqual(4);
});
