import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { httpRequests, registry } from '../../../src/ops/metrics.js';
import { BOUNDARY, form, uploadHeaders } from '../../support/gateway/forms.js';
import {
  eventually,
  startGateway,
  storedUpload,
  type Gateway,
} from '../../support/gateway/gateway.js';
import { httpChunk, RawClient } from '../../support/gateway/raw-client.js';

const MAX_FILE = 1_048_576;
const CREATE = 'POST /custom-data-upload/v1.0/cost/requests/';
const READ = 'GET /custom-data-upload/v1.0/cost/requests/01a1fbda-f483-7a98-aef9-d3cd461cb82d';
const csv = (bytes: number): Buffer => Buffer.alloc(bytes, '2026-01-01,channel,USD,campaign\n');

let gateway: Gateway;
let client: RawClient;
beforeEach(async () => {
  gateway = await startGateway({ uploadDeadlineMs: 3_000 });
  client = await RawClient.connect(gateway.port);
});
afterEach(async () => {
  client.destroy();
  await gateway.close();
  expect(await registry.metrics()).toMatch(/custom_data_uploads_receiving 0/);
});

const declared = (length: number): Record<string, string> => ({
  ...uploadHeaders(),
  'Content-Length': String(length),
});
const chunked = { ...uploadHeaders(), 'Transfer-Encoding': 'chunked' };
const hasChunk = (): boolean => storedUpload(gateway.log).chunks.length > 0;
const outcome = (): unknown =>
  gateway.lines.findLast((line) => line['msg'] === 'create')?.['outcome'];

async function expectAborted(): Promise<void> {
  await eventually(() => storedUpload(gateway.log).aborts === 1);
  const { end, chunks } = storedUpload(gateway.log);
  expect(end).toBeUndefined();
  expect(gateway.log.records('uploads').at(-1)!.headers['type']).toBe('abort');
  expect(gateway.log.records('uploads').at(-1)!.partition).toBe(chunks[0]!.partition);
  expect(gateway.log.records('status')).toEqual([]);
  expect(gateway.lookup.known.size).toBe(0);
}

/** Creates that count for their objective, whether they miss it or not. */
async function countedCreates(): Promise<number> {
  const { values } = await httpRequests.get();
  return values
    .filter(({ labels }) => labels.operation === 'create')
    .filter(({ labels }) => /^(?:201|5..)$/.test(String(labels.code)))
    .reduce((sum, { value }) => sum + value, 0);
}

describe('an upload is taken back, and misses no objective, when its client', () => {
  const body = form({ content: csv(600_000) });
  let counted: number;
  beforeEach(async () => {
    counted = await countedCreates();
    client.head(CREATE, declared(body.length));
    await client.send(body.subarray(0, 400_000));
    await eventually(hasChunk);
  });
  afterEach(async () => {
    expect(await countedCreates()).toBe(counted);
  });

  test('goes away', async () => {
    client.destroy();
    await expectAborted();
    expect(outcome()).toBe('client gone');
  });

  test('resets the connection', async () => {
    client.socket.resetAndDestroy();
    await expectAborted();
  });

  test('ends its side early', async () => {
    client.socket.end();
    await expectAborted();
  });

  test('stops sending', async () => {
    const startedAt = performance.now();
    expect(await client.answer()).toMatchObject({ status: 408, headers: { connection: 'close' } });
    // This is long before the deadline of the whole upload.
    expect(performance.now() - startedAt).toBeLessThan(2_700);
    await expectAborted();
    expect(outcome()).toBe('refused 408');
  });

  test('sends a slow drip beyond the deadline', async () => {
    const drip = setInterval(() => client.socket.write('x'), 20);
    const startedAt = performance.now();
    const { status } = await client.answer();
    clearInterval(drip);
    expect(status).toBe(408);
    expect(performance.now() - startedAt).toBeGreaterThan(600);
    await expectAborted();
  });

  test('sends something behind the boundary that is no part', async () => {
    const rest = Buffer.alloc(body.length - 400_000, `\r\n--${BOUNDARY}\r\nno colon\r\n\r\n`);
    await client.send(rest);
    expect((await client.answer()).status).toBe(400);
    await expectAborted();
  });
});

test('a form that ends before its last boundary is taken back', async () => {
  const body = form({ content: csv(300_000) }).subarray(0, -10);
  client.head(CREATE, declared(body.length));
  await client.send(body);
  expect((await client.answer()).status).toBe(400);
  await expectAborted();
});

test('a second file behind a large first one takes the upload back', async () => {
  const body = form({ content: csv(300_000) }, { content: csv(300_000) });
  client.head(CREATE, declared(body.length));
  await client.send(body);
  expect((await client.answer()).status).toBe(400);
  await expectAborted();
});

test('a malformed transfer coding takes the upload back', async () => {
  client.head(CREATE, chunked);
  await client.send(httpChunk(form({ content: csv(300_000) }).subarray(0, 250_000)));
  await client.send('this is no length\r\n');
  expect((await client.answer()).status).toBe(400);
  await expectAborted();
});

test('a client that goes away before its first chunk leaves nothing', async () => {
  client.head(CREATE, declared(10_000));
  await client.send(form({ content: csv(5_000) }).subarray(0, 3_000));
  await new Promise((resolve) => setTimeout(resolve, 30));
  client.destroy();
  await eventually(() => outcome() === 'client gone');
  expect(gateway.log.records('uploads')).toEqual([]);
});

test('an upload that was sent completely is accepted although its client went away', async () => {
  gateway.log.delayMs = 50;
  const body = form({ content: csv(1_000) });
  client.head(CREATE, declared(body.length));
  await client.send(body);
  client.destroy();
  await eventually(() => storedUpload(gateway.log).end !== undefined);
  await eventually(() => outcome() === 'accepted');
});

describe('too large', () => {
  const body = form({ content: csv(MAX_FILE + 1) });

  test.each([
    ['with a declared length', declared(body.length), body],
    ['chunked', chunked, Buffer.concat([httpChunk(body), Buffer.from('0\r\n\r\n')])],
  ])('one byte over 1 MiB is 413: %s', async (_how, headers, bytes) => {
    client.head(CREATE, headers);
    await client.send(bytes);
    expect(await client.answer()).toMatchObject({ status: 413, headers: { connection: 'close' } });
    await eventually(() => client.isClosed);
    await expectAborted();
  });

  test('a body of little file and much else is 413', async () => {
    client.head(CREATE, chunked);
    await client.send(httpChunk(Buffer.concat([csv(MAX_FILE + 65_600), form({ content: 'x' })])));
    expect((await client.answer()).status).toBe(413);
  });

  test('a client that goes on sending reads its answer, then loses the connection', async () => {
    client.head(CREATE, chunked);
    await client.send(httpChunk(body));
    let sent = body.length;
    const answered = client.answer();
    while (!client.isClosed && sent < 64 * MAX_FILE) {
      if (await client.send(httpChunk(csv(256 * 1024)), 1_000)) sent += 256 * 1024;
    }
    expect((await answered).status).toBe(413);
    expect(client.isClosed).toBe(true);
    expect(sent).toBeGreaterThan(4 * MAX_FILE);
    expect(sent).toBeLessThan(20 * MAX_FILE);
  });

  test('a client that stops sending after its answer loses the connection in the end', async () => {
    client.head(CREATE, declared(MAX_FILE + 60_000));
    await client.send(form({ content: csv(MAX_FILE + 100) }).subarray(0, MAX_FILE + 150));
    expect((await client.answer()).status).toBe(413);
    await eventually(() => client.isClosed, 20_000);
  });

  test('a declared length over the limit is 413 although nothing is sent', async () => {
    client.head(CREATE, declared(MAX_FILE + 65_537));
    expect((await client.answer()).status).toBe(413);
  });
});

describe('a connection is used again', () => {
  test.each([
    ['401', { ...declared(0), Authorization: 'nothing' }, 401],
    ['403', uploadHeaders('viewer-token'), 403],
    ['415', { ...uploadHeaders(), 'Content-Type': 'text/plain' }, 415],
    ['400', { ...uploadHeaders(), 'Content-Type': 'multipart/form-data' }, 400],
    ['400 out of the form', uploadHeaders(), 400],
    ['201', uploadHeaders(), 201],
  ])('after %s', async (_name, headers, status) => {
    const name = _name === '400 out of the form' ? 'other' : 'file';
    const body = form({
      headers: [`Content-Disposition: form-data; name="${name}"; filename="f"`],
      content: csv(700_000),
    });
    for (let i = 0; i < 3; i++) {
      client.head(CREATE, { ...headers, 'Content-Length': String(body.length) });
      await client.send(body);
      expect((await client.answer()).status).toBe(status);
      client.head(READ, uploadHeaders());
      expect((await client.answer()).status).toBe(404);
    }
    expect(client.isClosed).toBe(false);
  });
});

describe('Expect: 100-continue', () => {
  const body = form({ content: csv(1_000) });
  const expecting = { ...declared(body.length), Expect: '100-continue' };

  test('is answered when the body is wanted, and the connection stays', async () => {
    for (let i = 0; i < 2; i++) {
      client.head(CREATE, expecting);
      expect((await client.answer()).status).toBe(100);
      await client.send(body);
      expect(await client.answer()).toMatchObject({
        status: 201,
        headers: { connection: 'keep-alive' },
      });
    }
  });

  test.each([
    ['401', { Authorization: 'SERVICE-API-KEY nobody' }, 401],
    ['403', { Authorization: 'SERVICE-API-KEY viewer-token' }, 403],
    ['415', { 'Content-Type': 'text/csv' }, 415],
    ['413', { 'Content-Length': String(3 * MAX_FILE) }, 413],
    ['400', { 'Content-Type': 'multipart/form-data' }, 400],
  ])('is refused with %s before the body, and the connection ends', async (_n, headers, status) => {
    client.head(CREATE, { ...expecting, ...headers });
    expect(await client.answer()).toMatchObject({ status, headers: { connection: 'close' } });
    await eventually(() => client.isClosed);
  });

  test('a refused client that sends its body all the same reads its answer', async () => {
    client.head(CREATE, { ...expecting, Authorization: 'nothing' });
    await client.send(body);
    expect((await client.answer()).status).toBe(401);
  });

  test('a client that never sends the body it was asked for is given up', async () => {
    client.head(CREATE, expecting);
    expect((await client.answer()).status).toBe(100);
    expect((await client.answer()).status).toBe(408);
  });
});
