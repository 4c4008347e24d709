import { afterEach, beforeEach, expect, test } from '@jest/globals';

import { uploadsReceiving } from '../../../../src/ops/metrics.js';
import { expectProblem, form, post, uploadHeaders } from '../../../support/gateway/forms.js';
import { type Gateway, startGateway } from '../../../support/gateway/gateway.js';
import { RawClient } from '../../../support/gateway/raw-client.js';
import { until } from '../../../support/until.js';

const MOST = 500;
const CREATE = 'POST /custom-data-upload/v1.0/cost/requests/';
const CSV = 'date,channel\n2026-01-01,x\n';

let gateway: Gateway;
let clients: RawClient[];
beforeEach(async () => {
  gateway = await startGateway({ uploadDeadlineMs: 600_000 });
  clients = [];
});
afterEach(async () => {
  for (const client of clients) client.destroy();
  await gateway.close();
});

test('with 500 uploads under way another one is refused, until one of them has ended', async () => {
  const body = form({ content: CSV });
  const headers = { ...uploadHeaders(), 'Content-Length': String(body.length) };
  clients = await Promise.all(Array.from({ length: MOST }, () => RawClient.connect(gateway.port)));
  for (const client of clients) {
    client.head(CREATE, headers);
    await client.send(body.subarray(0, 10));
  }
  const url = `${gateway.url}/cost/requests/`;
  await until(async () => (await uploadsReceiving.get()).values[0]?.value === MOST);
  const refused = await post(url, form({ content: CSV }));
  expect(await expectProblem(refused, 503)).toBe(
    'This server has too many uploads under way. Nothing was stored; send it again.',
  );
  expect(refused.headers.get('Retry-After')).toBe('5');

  await clients[0]!.send(body.subarray(10));
  expect((await clients[0]!.answer()).status).toBe(201);
  expect((await post(url, form({ content: CSV }))).status).toBe(201);
});
