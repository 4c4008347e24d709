import { setTimeout as sleep } from 'node:timers/promises';

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { expectProblem, form, post, uploadHeaders } from '../../../support/gateway/forms.js';
import { OWNER, startGateway, type Gateway } from '../../../support/gateway/gateway.js';
import { RawClient } from '../../../support/gateway/raw-client.js';
import { until } from '../../../support/until.js';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/;
const CSV = 'date,channel\n2026-01-01,x\n';
const FAMILIES = ['cost', 'self-serve'];

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(async () => {
  await gateway.close();
});

const read = (path: string, token = OWNER): Promise<Response> =>
  fetch(`${gateway.url}/${path}`, { headers: { Authorization: `SERVICE-API-KEY ${token}` } });

async function create(family = 'cost', token = OWNER): Promise<string> {
  const response = await post(
    `${gateway.url}/${family}/requests/`,
    form({ content: CSV }),
    uploadHeaders(token),
  );
  expect(response.status).toBe(201);
  return ((await response.json()) as { requestId: string }).requestId;
}

describe.each(FAMILIES)('%s', (family) => {
  test.each(['requests', 'requests/'])('a create on %s answers 201', async (path) => {
    const response = await post(`${gateway.url}/${family}/${path}`, form({ content: CSV }));
    const record = (await response.json()) as Record<string, string>;
    expect(response.status).toBe(201);
    expect(record).toEqual({
      requestId: expect.stringMatching(UUID),
      status: 'uploaded',
      prevStatus: null,
      reason: null,
      createdAt: expect.stringMatching(TIMESTAMP),
      updatedAt: record['createdAt'],
    });
    expect(response.headers.get('location')).toBe(
      `/custom-data-upload/v1.0/${family}/requests/${record['requestId']!}`,
    );
    expect(response.headers.get('x-powered-by')).toBeNull();
    expect(response.headers.get('etag')).toBeNull();
  });

  test('a request is read with and without the final slash, in any case of its id', async () => {
    const requestId = await create(family);
    for (const id of [requestId, `${requestId}/`, requestId.toUpperCase()]) {
      const response = await read(`${family}/requests/${id}`);
      expect(response.status).toBe(200);
      expect(await response.json()).toEqual({
        requestId,
        status: 'uploaded',
        prevStatus: null,
        reason: null,
        createdAt: expect.stringMatching(TIMESTAMP),
        updatedAt: expect.stringMatching(TIMESTAMP),
      });
    }
  });

  test('unknown, of another account and of the other family are the same answer', async () => {
    const requestId = await create(family);
    const answers = [
      await read(`${family}/requests/01a1fbda-f483-7a98-aef9-d3cd461cb82d`),
      await read(`${family}/requests/${requestId}`, 'other-token'),
      await read(`${family === 'cost' ? 'self-serve' : 'cost'}/requests/${requestId}`),
    ];
    const bodies = await Promise.all(answers.map((answer) => answer.text()));
    expect(answers.map((answer) => answer.status)).toEqual([404, 404, 404]);
    expect(new Set(bodies).size).toBe(1);
    expect(answers[0]!.headers.get('content-type')).toBe('application/problem+json');
  });

  test('a method that is not offered is 405 with Allow, without a token', async () => {
    for (const [method, path, allow] of [
      ['GET', 'requests/', 'POST'],
      ['PUT', 'requests', 'POST'],
      ['OPTIONS', 'requests', 'POST'],
      ['POST', 'requests/x', 'GET, HEAD'],
      ['DELETE', 'requests/01a1fbda-f483-7a98-aef9-d3cd461cb82d/', 'GET, HEAD'],
    ] as const) {
      const response = await fetch(`${gateway.url}/${family}/${path}`, { method });
      expect(response.headers.get('allow')).toBe(allow);
      await expectProblem(response, 405);
    }
  });

  test.each([
    ['an owner', OWNER, 201],
    ['an in-house marketer', 'marketer-token', 201],
    ['an agency', 'agency-token', 403],
    ['a media company', 'media-token', 403],
    ['a viewer', 'viewer-token', 403],
  ])('%s', async (_who, token, status) => {
    const response = await post(
      `${gateway.url}/${family}/requests/`,
      form({ content: CSV }),
      uploadHeaders(token),
    );
    expect(response.status).toBe(status);
    const unknown = await read(`${family}/requests/01a1fbda-f483-7a98-aef9-d3cd461cb82d`, token);
    expect(unknown.status).toBe(status === 201 ? 404 : 403);
  });
});

describe('authorization', () => {
  test.each([
    ['none', undefined],
    ['no scheme', OWNER],
    ['another scheme', `Bearer ${OWNER}`],
    ['no token', 'SERVICE-API-KEY'],
    ['two spaces', `SERVICE-API-KEY  ${OWNER}`],
    ['a tab', `SERVICE-API-KEY\t${OWNER}`],
    ['something behind the token', `SERVICE-API-KEY ${OWNER} x`],
    ['an unknown token', 'SERVICE-API-KEY nobody'],
  ])('%s is 401', async (_what, authorization) => {
    const headers = authorization === undefined ? undefined : { Authorization: authorization };
    for (const init of [{ method: 'POST', body: 'x' }, { method: 'GET' }]) {
      const path = init.method === 'GET' ? '/cost/requests/no-uuid' : '/cost/requests/';
      const response = await fetch(gateway.url + path, { ...init, ...(headers && { headers }) });
      expect(response.headers.get('www-authenticate')).toBe('SERVICE-API-KEY');
      await expectProblem(response, 401);
    }
  });

  test('the scheme word may be in any case', async () => {
    const response = await fetch(`${gateway.url}/cost/requests/no-uuid`, {
      headers: { Authorization: `Service-Api-Key ${OWNER}` },
    });
    await expectProblem(response, 400);
  });
});

describe('the order of checks', () => {
  const tooLong = { 'Content-Length': String(2 * 1024 * 1024), Connection: 'close' };
  test.each([
    ['401', 401, { 'Content-Type': 'text/csv', ...tooLong }],
    [
      '403',
      403,
      { Authorization: 'SERVICE-API-KEY viewer-token', 'Content-Type': 'text/csv', ...tooLong },
    ],
    ['415', 415, { ...uploadHeaders(), 'Content-Type': 'text/csv', ...tooLong }],
    ['413', 413, { ...uploadHeaders(), 'Content-Type': 'multipart/form-data', ...tooLong }],
    [
      '400',
      400,
      { ...uploadHeaders(), 'Content-Type': 'multipart/form-data', 'Content-Length': '0' },
    ],
  ])('%s comes before what follows it, and before the body', async (_name, status, headers) => {
    const client = await RawClient.connect(gateway.port);
    client.head('POST /custom-data-upload/v1.0/cost/requests/', headers);
    expect((await client.answer()).status).toBe(status);
    client.destroy();
  });

  test('an unknown path is 404 without a token', async () => {
    for (const path of [
      '',
      '/',
      '/cost',
      '/cost/requests/a/b',
      '/costs/requests/',
      '/Cost/requests/',
      '/costs/requests/x',
    ]) {
      for (const method of ['GET', 'POST', 'DELETE']) {
        await expectProblem(await fetch(gateway.url + path, { method }), 404);
      }
    }
  });
});

test('headers above 16 KiB are 431, without a body', async () => {
  const client = await RawClient.connect(gateway.port);
  client.head('GET /', { 'X-Long': 'x'.repeat(16 * 1024) });
  await until(() => client.isClosed);
  expect(client.received).toMatch(/^HTTP\/1\.1 431 [^]*\r\n\r\n$/);
});

describe('reading', () => {
  test.each(['x', '01a1fbda-f483-7a98-aef9-d3cd461cb82', '%20', '..%2f', '%FF'])(
    'the requestId %s is 400',
    async (id) => {
      await expectProblem(await read(`cost/requests/${id}`), 400);
    },
  );

  test('HEAD answers as GET does, without a body', async () => {
    const requestId = await create();
    const response = await fetch(`${gateway.url}/cost/requests/${requestId}`, {
      method: 'HEAD',
      headers: { Authorization: `SERVICE-API-KEY ${OWNER}` },
    });
    expect(response.status).toBe(200);
    expect(await response.text()).toBe('');
  });

  test.each([{}, { Expect: '100-continue' }])(
    'HEAD of what only POST has is 405 at once, whatever body is announced, %p',
    async (headers) => {
      const client = await RawClient.connect(gateway.port);
      client.head('HEAD /custom-data-upload/v1.0/cost/requests/', {
        ...headers,
        'Content-Length': '5',
      });
      for (let waits = 0; client.received === '' && waits < 300; waits++) await sleep(10);
      expect(client.received).toMatch(/^HTTP\/1\.1 405 /);
      client.destroy();
    },
  );

  test('a status that cannot be told is 503 with Retry-After', async () => {
    gateway.lookup.isAvailable = false;
    const response = await read('cost/requests/01a1fbda-f483-7a98-aef9-d3cd461cb82d');
    gateway.lookup.isAvailable = true;
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
    await expectProblem(response, 503);
  });

  test('a failed request carries its reason', async () => {
    const requestId = await create();
    const uploaded = gateway.lookup.known.get(requestId)!;
    const reason = '{"date":["row 2: ..."]}';
    gateway.lookup.remember({ ...uploaded, status: 'failed', prevStatus: 'uploaded', reason });
    const response = await read(`cost/requests/${requestId}`);
    expect(await response.json()).toMatchObject({
      status: 'failed',
      prevStatus: 'uploaded',
      reason,
    });
  });

  test('a bug is a 500 that shows nothing of itself, and an error line', async () => {
    gateway.lookup.find = () => Promise.reject(new Error('SELECT secret FROM /etc/x'));
    const response = await read('cost/requests/01a1fbda-f483-7a98-aef9-d3cd461cb82d');
    expect(await expectProblem(response, 500)).not.toMatch(/SELECT|etc/);
    expect(gateway.lines.some((line) => line['msg'] === 'call failed')).toBe(true);
  });
});
