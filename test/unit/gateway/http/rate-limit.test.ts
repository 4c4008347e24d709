import { afterEach, describe, expect, test } from '@jest/globals';

import { TokenBuckets } from '../../../../src/gateway/http/token-bucket.js';
import { httpRequests } from '../../../../src/ops/metrics.js';
import { form, post, problemOf, uploadHeaders } from '../../../support/gateway/forms.js';
import { type Gateway, OWNER, startGateway } from '../../../support/gateway/gateway.js';
import { RawClient } from '../../../support/gateway/raw-client.js';

describe('a token bucket', () => {
  test('gives a minute’s worth at once and then one after the other', () => {
    const buckets = new TokenBuckets(3);
    expect(buckets.take('a', 0)).toEqual({ isAllowed: true, remaining: 2, nextMs: 20_000 });
    expect(buckets.take('a', 0)).toEqual({ isAllowed: true, remaining: 1, nextMs: 20_000 });
    expect(buckets.take('a', 5_000)).toEqual({ isAllowed: true, remaining: 0, nextMs: 15_000 });
    expect(buckets.take('a', 5_000)).toEqual({ isAllowed: false, remaining: 0, nextMs: 15_000 });
    expect(buckets.take('a', 19_999).isAllowed).toBe(false);
    expect(buckets.take('a', 20_000)).toEqual({ isAllowed: true, remaining: 0, nextMs: 20_000 });
    expect(buckets.take('a', 20_000).isAllowed).toBe(false);
    expect(buckets.take('a', 1e9)).toMatchObject({ isAllowed: true, remaining: 2 });
  });

  test.each([1, 7, 60, 999, 1_000_000])('%i a minute are exactly as many', (perMinute) => {
    const buckets = new TokenBuckets(perMinute);
    let allowed = 0;
    while (buckets.take('a', 12_345.678).isAllowed) allowed += 1;
    expect(allowed).toBe(perMinute);
    expect(buckets.take('b', 12_345.678).isAllowed).toBe(true);
  });
});

describe('the gateway', () => {
  let gateway: Gateway;
  afterEach(() => gateway.close());

  const create = (token = OWNER): Promise<Response> =>
    post(`${gateway.url}/cost/requests/`, form({ content: 'x' }), uploadHeaders(token));
  const read = (): Promise<Response> =>
    fetch(`${gateway.url}/cost/requests/01a1fbe9-8d12-7e37-8444-47b183ed8e35`, {
      headers: { Authorization: `SERVICE-API-KEY ${OWNER}` },
    });
  const told = ({ headers }: Response): unknown[] =>
    ['RateLimit-Policy', 'RateLimit', 'Retry-After'].map((name) => headers.get(name));

  test('limits nothing by default, and says nothing of it', async () => {
    gateway = await startGateway();
    for (let i = 0; i < 5; i++) expect((await create()).status).toBe(201);
    expect(told(await create())).toEqual([null, null, null]);
  });

  test('refuses an account’s uploads above the rate with 429, of all its tokens', async () => {
    gateway = await startGateway({ uploadsPerMinute: 2 });
    expect(told(await create())).toEqual([
      '"uploads";q=2;w=60',
      expect.stringMatching(/r=1;t=(30|2\d)$/),
      null,
    ]);
    expect(told(await create('marketer-token'))).toMatchObject({
      1: expect.stringMatching(/r=0;t=(30|2\d)$/),
    });
    const refused = await create();
    expect(told(refused)).toEqual([
      '"uploads";q=2;w=60',
      expect.stringMatching(/r=0;t=(30|2\d)$/),
      expect.stringMatching(/^(30|2\d)$/),
    ]);
    expect(await problemOf(refused)).toEqual({
      type: 'about:blank',
      title: 'Too Many Requests',
      status: 429,
      detail: 'The account sends too many uploads. Wait for as long as Retry-After says.',
    });
    const { values } = await httpRequests.get();
    expect(values.find(({ labels }) => labels.code === '429')).toMatchObject({
      value: 1,
      labels: { operation: 'create', family: 'cost' },
    });
    // The limit affects no other tokens, no reads, and no calls without a suitable token.
    expect((await create('other-token')).status).toBe(201);
    expect(told(await read())).toEqual([null, null, null]);
    expect((await create('viewer-token')).status).toBe(403);
  });

  test('refuses before a byte of the body is read', async () => {
    gateway = await startGateway({ uploadsPerMinute: 1 });
    await create();
    const client = await RawClient.connect(gateway.port);
    client.head('POST /custom-data-upload/v1.0/cost/requests/', {
      ...uploadHeaders(),
      'Content-Length': '1000',
      Expect: '100-continue',
    });
    expect((await client.answer()).status).toBe(429);
    client.destroy();
  });

  test('limits reads by themselves', async () => {
    gateway = await startGateway({ readsPerMinute: 1 });
    expect((await read()).status).toBe(404);
    const refused = await read();
    expect(refused.status).toBe(429);
    expect(told(refused)).toEqual([
      '"reads";q=1;w=60',
      expect.stringMatching(/r=0;t=(60|5\d)$/),
      expect.stringMatching(/^(60|5\d)$/),
    ]);
    expect((await create()).status).toBe(201);
  });

  test('limits previews as creates, and by themselves', async () => {
    gateway = await startGateway({ uploadsPerMinute: 1 });
    const url = gateway.url.replace('custom-data-upload', 'custom-data-preview');
    const preview = (): Promise<Response> =>
      post(`${url}/cost`, form({ content: 'x' }), uploadHeaders());
    expect((await create()).status).toBe(201);
    expect((await preview()).headers.get('RateLimit-Policy')).toBe('"previews";q=1;w=60');
    expect((await preview()).status).toBe(429);
  });

  test('counts a read that waits once', async () => {
    gateway = await startGateway({ uploadsPerMinute: 1, readsPerMinute: 2 });
    const { requestId } = (await (await create()).json()) as { requestId: string };
    const waiting = await fetch(`${gateway.url}/cost/requests/${requestId}`, {
      headers: { Authorization: `SERVICE-API-KEY ${OWNER}`, Prefer: 'wait=1' },
    });
    expect(waiting.headers.get('preference-applied')).toBe('wait=1');
    expect(waiting.headers.get('RateLimit')).toMatch(/r=1;/);
  });

  test('refuses after 403, and before it looks at the form', async () => {
    gateway = await startGateway({ uploadsPerMinute: 1 });
    await create();
    const noForm = { 'Content-Type': 'text/csv' };
    const answers = [uploadHeaders('viewer-token'), uploadHeaders()].map((headers) =>
      post(`${gateway.url}/cost/requests/`, Buffer.from('x'), { ...headers, ...noForm }),
    );
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([403, 429]);
  });
});
