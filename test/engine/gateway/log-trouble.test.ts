import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { LogUnavailableError } from '../../../src/log/upload-log.js';
import { TARGET_BYTES } from '../../../src/gateway/create/receive/chunker.js';
import { form, post, problemOf, uploadHeaders } from '../../support/gateway/forms.js';
import {
  eventually,
  startGateway,
  storedUpload,
  type Gateway,
} from '../../support/gateway/gateway.js';
import { httpChunk, RawClient } from '../../support/gateway/raw-client.js';

const CREATE = 'POST /custom-data-upload/v1.0/self-serve/requests/';
const csv = (bytes: number): Buffer => Buffer.alloc(bytes, '2026-01-01,channel,USD,campaign\n');
const noise = (bytes: number): Buffer => Buffer.alloc(bytes, 'no line breaks ');

let gateway: Gateway;
let unhandled: unknown[] = [];
const onUnhandled = (reason: unknown): void => {
  unhandled.push(reason);
};
beforeEach(async () => {
  unhandled = [];
  process.on('unhandledRejection', onUnhandled);
  gateway = await startGateway({ logTimeoutMs: 300, uploadDeadlineMs: 4_000 });
});
afterEach(async () => {
  gateway.log.resume();
  await gateway.close();
  process.off('unhandledRejection', onUnhandled);
  expect(unhandled).toEqual([]);
});

const types = (): unknown[] => gateway.log.records('uploads').map((r) => r.headers['type']);
const upload = (content: Uint8Array): Promise<Response> =>
  post(`${gateway.url}/self-serve/requests/`, form({ content }));

async function expectUnavailable(response: Response): Promise<void> {
  expect(response.status).toBe(503);
  expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(await problemOf(response)).toMatchObject({ status: 503, title: 'Service Unavailable' });
  const said = () => gateway.lines.findLast((line) => line['msg'] === 'create');
  await eventually(() => said()?.['outcome'] === 'not confirmed');
  expect(said()!['reason']).toEqual(expect.any(String));
  expect(gateway.lookup.known.size).toBe(0);
}

/** Closes the gateway and expects that it appends nothing more. */
async function expectNothingMore(): Promise<void> {
  const before = types();
  await gateway.close();
  expect(gateway.log.unacknowledged).toBe(0);
  expect(types()).toEqual(before);
}

test('a log that refuses chunks: 503 and an abort', async () => {
  gateway.log.fails = (_topic, [record]) => record!.headers['type'] === 'chunk';
  await expectUnavailable(await upload(csv(700_000)));
  await eventually(() => types().length === 1);
  expect(types()).toEqual(['abort']);
});

test('a log that refuses a file of one chunk: 503, and nothing is appended behind it', async () => {
  gateway.log.fails = (topic) => topic === 'uploads';
  await expectUnavailable(await upload(csv(1_000)));
  gateway.log.fails = () => false;
  await expectNothingMore();
  expect(types()).toEqual([]);
});

test('a refused chunk is told at once, not when the client has sent everything', async () => {
  gateway.log.fails = () => true;
  const client = await RawClient.connect(gateway.port);
  client.head(CREATE, { ...uploadHeaders(), 'Content-Length': '1000000' });
  await client.send(form({ content: csv(900_000) }).subarray(0, 200_000));
  const startedAt = performance.now();
  expect((await client.answer()).status).toBe(503);
  expect(performance.now() - startedAt).toBeLessThan(2_000);
  client.destroy();
});

test('a later chunk that is refused: 503 and an abort', async () => {
  gateway.log.fails = (_topic, [record]) => record!.headers['sequence'] === '3';
  await expectUnavailable(await upload(csv(700_000)));
  await eventually(() => types().at(-1) === 'abort');
  expect(types()).not.toContain('end');
  expect(gateway.log.records('status')).toEqual([]);
});

test('an end that is refused: 503, and nothing is appended behind it', async () => {
  gateway.log.fails = (_topic, records) => records.at(-1)!.headers['type'] === 'end';
  await expectUnavailable(await upload(csv(200_000)));
  await expectNothingMore();
  expect(types()).toEqual(['chunk']);
});

test('a transition that is refused: 503, although the upload is whole', async () => {
  gateway.log.fails = (topic) => topic === 'status';
  await expectUnavailable(await upload(csv(1_000)));
  await expectNothingMore();
  expect(types()).toEqual(['chunk', 'end']);
});

test('a fence that fails: 503, and an abort of what was written', async () => {
  gateway.fence.caughtUp = () => Promise.reject(new LogUnavailableError('away'));
  await expectUnavailable(await upload(csv(1_000)));
  expect(types()).toEqual([]);
  await expectUnavailable(await upload(csv(200_000)));
  await eventually(() => types().at(-1) === 'abort');
  expect(types()).toEqual(['chunk', 'abort']);
});

test('a fence that is well again when the file has arrived: 201', async () => {
  let looks = 0;
  gateway.fence.caughtUp = () => {
    looks += 1;
    return looks === 1 ? Promise.reject(new LogUnavailableError('away')) : Promise.resolve();
  };
  expect((await upload(csv(200_000))).status).toBe(201);
  expect(looks).toBe(2);
});

test('a fence that never answers: 503', async () => {
  gateway.fence.caughtUp = () => new Promise(() => undefined);
  await expectUnavailable(await upload(csv(1_000)));
});

test('whatever a log throws is a 503', async () => {
  gateway.log.append = () => Promise.reject(new TypeError('a bug of the adapter'));
  await expectUnavailable(await upload(csv(1_000)));
});

test('a log that does not answer: 503 after the log timeout', async () => {
  gateway.log.stall();
  const startedAt = performance.now();
  await expectUnavailable(await upload(csv(1_000)));
  expect(performance.now() - startedAt).toBeGreaterThan(290);
});

test('a refusal for its own sake answers as such, whatever the log does', async () => {
  gateway.log.fails = () => true;
  const response = await post(`${gateway.url}/self-serve/requests/`, Buffer.from('no form'));
  expect(response.status).toBe(400);
});

test('reads and small refusals go on while the log is away', async () => {
  const { requestId } = (await (await upload(csv(1_000))).json()) as { requestId: string };
  gateway.log.stall();
  const read = async (id: string): Promise<number> => {
    const url = `${gateway.url}/self-serve/requests/${id}`;
    return (await fetch(url, { headers: uploadHeaders() })).status;
  };
  expect([await read(requestId), await read('x')]).toEqual([200, 400]);
});

test('a stalled log stops the client; it goes on where it stopped', async () => {
  await gateway.close();
  gateway = await startGateway({ logTimeoutMs: 10_000 });
  gateway.log.stall();
  const content = noise(1_040_000);
  const body = form({ content });
  const client = await RawClient.connect(gateway.port);
  client.head(CREATE, { ...uploadHeaders(), 'Content-Length': String(body.length) });
  void client.send(body, 20_000);
  await eventually(() => gateway.log.unacknowledged === 3);
  await new Promise((resolve) => setTimeout(resolve, 300));
  // Three chunks are unacknowledged and one is being filled. The client or the kernel has the rest.
  expect(gateway.log.begunBytes).toBe(3 * TARGET_BYTES);
  gateway.log.resume();
  expect((await client.answer()).status).toBe(201);
  expect(gateway.log.mostUnacknowledged).toBe(3);
  expect(storedUpload(gateway.log).content.equals(content)).toBe(true);
  client.destroy();
});

test('many uploads share what a stalled log may have under way, and all go on', async () => {
  await gateway.close();
  gateway = await startGateway({ logTimeoutMs: 20_000 });
  gateway.log.stall();
  const body = form({ content: noise(1_000_000) });
  const answers = Array.from({ length: 64 }, () => post(`${gateway.url}/cost/requests/`, body));
  await eventually(() => gateway.log.unacknowledged >= 64);
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  // Each has one, and some have three.
  expect(gateway.log.unacknowledged).toBeLessThan(24 + 64);
  gateway.log.resume();
  expect((await Promise.all(answers)).map(({ status }) => status)).toEqual(Array(64).fill(201));
});

test('the socket of a held-back client is not read', async () => {
  await gateway.close();
  gateway = await startGateway({ logTimeoutMs: 10_000 });
  gateway.log.stall();
  let serverSocketBytes = 0;
  const server = gateway.app.getHttpServer();
  server.once('connection', (socket: Socket) => {
    setInterval(() => (serverSocketBytes = socket.bytesRead), 20).unref();
  });
  const client = await RawClient.connect(gateway.port);
  client.head(CREATE, { ...uploadHeaders(), 'Transfer-Encoding': 'chunked' });
  const body = form({ content: noise(1_040_000) });
  void client.send(httpChunk(body), 20_000);
  await eventually(() => serverSocketBytes > 3 * TARGET_BYTES);
  await new Promise((resolve) => setTimeout(resolve, 400));
  const read = serverSocketBytes;
  expect(read).toBeGreaterThan(3 * TARGET_BYTES);
  expect(read).toBeLessThan(6 * TARGET_BYTES);
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(serverSocketBytes).toBe(read);
  gateway.log.resume();
  await client.send('0\r\n\r\n');
  expect((await client.answer()).status).toBe(201);
  client.destroy();
});

test('a client held back by the log is not called slow', async () => {
  await gateway.close();
  gateway = await startGateway({ logTimeoutMs: 10_000, uploadDeadlineMs: 4_000 });
  gateway.log.stall();
  const answered = upload(noise(1_000_000));
  await new Promise((resolve) => setTimeout(resolve, 1_500)); // longer than the idle limit
  gateway.log.resume();
  expect((await answered).status).toBe(201);

  gateway.log.stall();
  await expectNotTaken(await upload(noise(1_000_000)));
});

test('a file that has come, and takes long to unpack, is not taken after the deadline', async () => {
  await gateway.close();
  gateway = await startGateway({ logTimeoutMs: 10_000, uploadDeadlineMs: 4_000 });
  gateway.log.delayMs = 500;
  // One piece of the body is many chunks.
  const packed = gzipSync(csv(24_000_000));
  expect(packed.length).toBeLessThan(64 * 1024);
  await expectNotTaken(await upload(packed));
  expect(types()).not.toContain('end');
});

async function expectNotTaken(response: Response): Promise<void> {
  expect(response.status).toBe(503);
  expect((await problemOf(response)).detail).toContain('sending it again is safe');
}

test('a log that hangs is not given more and more to hold; it is used again when it answers', async () => {
  await gateway.close();
  gateway = await startGateway({ logTimeoutMs: 500 });
  gateway.log.stall();
  for (let round = 0; round < 5; round++) {
    const answers = await Promise.all(Array.from({ length: 50 }, () => upload(csv(20_000))));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([503]));
  }
  expect(gateway.log.unacknowledged).toBeLessThan(200);
  gateway.log.resume();
  await eventually(() => gateway.log.unacknowledged === 0);
  expect((await upload(csv(20_000))).status).toBe(201);
});

test('many uploads at once on a slow log all arrive', async () => {
  await gateway.close();
  gateway = await startGateway({ logTimeoutMs: 10_000 });
  gateway.log.delayMs = 20;
  const contents = Array.from({ length: 40 }, (_, i) => csv(1 + i * 20_000));
  const answers = await Promise.all(contents.map(upload));
  for (const [i, answer] of answers.entries()) {
    expect(answer.status).toBe(201);
    const { requestId } = (await answer.json()) as { requestId: string };
    expect(storedUpload(gateway.log, requestId).content.equals(contents[i]!)).toBe(true);
  }
  expect(storedUpload(gateway.log).aborts).toBe(0);
});
