import { Readable } from 'node:stream';

import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';

import {
  FileTooLargeError,
  messagesOf,
  NetworkError,
  ProblemError,
  UploadClient,
} from '../../../../src/clients/api/index.js';
import {
  makeMigratedDir,
  removeDataDir,
  ServiceProcess,
  tokenFor,
} from '../../../support/service/service-process.js';
import { fileWith } from '../../../support/files/files.js';
import { until } from '../../../support/until.js';
import { type Fault, Proxy } from './proxy.js';

let dataDir: string;
let service: ServiceProcess;
let token: string;
let proxy: Proxy | undefined;

beforeAll(async () => {
  dataDir = await makeMigratedDir();
  token = await tokenFor(dataDir, 'acme');
  service = await ServiceProcess.start(dataDir);
});
afterEach(async () => {
  await proxy?.close();
  proxy = undefined;
});
afterAll(async () => {
  await service.kill();
  await removeDataDir(dataDir);
});

/** Creates a client that reaches the service through a proxy with faults. */
async function clientBehind(fault: Fault, retryForMs = 30_000): Promise<UploadClient> {
  proxy = await Proxy.start(() => service.ports.api, fault);
  return new UploadClient({ baseUrl: proxy.url, token, retryForMs });
}

const creates = () => proxy!.asked.filter(({ method }) => method === 'POST');

function costsOf(campaign: string): Promise<{ cost: number }[]> {
  return service.query(`SELECT cost FROM cost_rows WHERE campaign = '${campaign}'`);
}

test.each([
  ['a buffer', (text: string) => Buffer.from(text)],
  ['bytes', (text: string) => new Uint8Array(Buffer.from(text))],
  ['a stream', (text: string) => Readable.from([text.slice(0, 9), Buffer.from(text.slice(9))])],
])('%s is sent, and its rows are stored when it is finished', async (name, made) => {
  const client = await clientBehind(() => undefined);
  const file = made(fileWith('cost', { campaign: name, cost: '2.5' }));
  const created = await client.create('cost', file);
  expect(created).toMatchObject({ status: 'uploaded', prevStatus: null, reason: null });
  const record = await client.finished('cost', created.requestId);
  expect(record).toMatchObject({ requestId: created.requestId, status: 'succeeded' });
  expect(await client.read('cost', created.requestId)).toEqual(record);
  expect(await costsOf(name)).toEqual([{ cost: 2.5 }]);
});

test('a failed request tells its messages by column', async () => {
  const client = await clientBehind(() => undefined);
  const { requestId } = await client.create('cost', Buffer.from(fileWith('cost', { cost: 'x' })));
  const record = await client.finished('cost', requestId);
  expect(record.status).toBe('failed');
  expect([...messagesOf(record)]).toEqual([
    ['cost', ['row 2: "x" is not a number such as 12, -3.5 or 1.5e3']],
  ]);
});

test('a create that is refused for now or broken off is sent again, with the same key', async () => {
  const faults: ReturnType<Fault>[] = [{ status: 503 }, { status: 429 }, 'cut', 'cut after'];
  const client = await clientBehind((_call, index) => faults[index]);
  const file = Buffer.from(fileWith('cost', { campaign: 'sent again' }));
  const { requestId } = await client.create('cost', file, { idempotencyKey: 'the-key' });
  expect((await client.finished('cost', requestId)).status).toBe('succeeded');
  expect(creates().map(({ headers }) => headers['idempotency-key'])).toEqual(
    Array(5).fill('the-key'),
  );
  // The answer that was cut off and the last one are about one request.
  const requests = (): Promise<{ id: string }[]> =>
    service.query(
      `SELECT DISTINCT request_id AS id FROM request_transitions WHERE csv_bytes = ${file.length}`,
    );
  await until(async () => (await requests()).some(({ id }) => id === requestId));
  expect(await requests()).toEqual([{ id: requestId }]);
  expect(await costsOf('sent again')).toHaveLength(1);
});

test('a file is previewed, also while the service is busy, and nothing is stored', async () => {
  const faults: ReturnType<Fault>[] = [{ status: 503 }, 'cut after'];
  const client = await clientBehind((_call, index) => faults[index]);
  const file = Buffer.from(fileWith('cost', { campaign: 'shown' }));
  const preview = await client.preview('cost', file);
  expect(preview).toMatchObject({ valid: true, reason: null, rows: 1, keys: { total: 1, new: 1 } });
  expect(creates()).toHaveLength(3);
  expect(await costsOf('shown')).toEqual([]);
  const large = client.preview('cost', Buffer.alloc(1_048_577));
  await expect(large).rejects.toThrow(FileTooLargeError);
  expect(creates()).toHaveLength(3);
});

test('every upload draws a key of its own', async () => {
  const client = await clientBehind(() => undefined);
  const file = Buffer.from(fileWith('cost', {}));
  await client.create('cost', file);
  await client.create('cost', file);
  const keys = creates().map(({ headers }) => headers['idempotency-key']);
  expect(new Set(keys).size).toBe(2);
});

test('what Retry-After asks for is waited at least', async () => {
  const client = await clientBehind((_call, index) =>
    index === 0 ? { status: 503, headers: { 'Retry-After': '1' } } : undefined,
  );
  await client.create('cost', Buffer.from(fileWith('cost', {})));
  expect(proxy!.asked[1]!.at - proxy!.asked[0]!.at).toBeGreaterThanOrEqual(1000);
});

test('a Retry-After beyond the time for retries is not waited for', async () => {
  const client = await clientBehind(() => ({
    status: 503,
    headers: { 'Retry-After': '3600' },
    body: JSON.stringify({ title: 'Service Unavailable', detail: 'Not now.' }),
  }));
  const error = await client.create('cost', Buffer.from('x')).catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(ProblemError);
  expect(error).toMatchObject({ status: 503, isPassing: true, retryAfterMs: 3_600_000 });
  expect((error as Error).message).toBe('503 Service Unavailable: Not now.');
  expect(creates()).toHaveLength(1);
});

test('a refusal for good is an error with the details of the problem, after one call', async () => {
  const { url } = (proxy = await Proxy.start(() => service.ports.api));
  const stranger = new UploadClient({ baseUrl: `${url}/`, token: 'nobody' });
  const error = await stranger.create('cost', Buffer.from('x')).catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(ProblemError);
  expect((error as ProblemError).problem).toEqual({
    type: 'about:blank',
    title: 'Unauthorized',
    status: 401,
    detail: expect.stringContaining('unknown') as unknown as string,
  });
  expect((error as ProblemError).isPassing).toBe(false);
  expect(proxy.asked).toHaveLength(1);
});

test('a service that is not there is a network error once the time for retries is over', async () => {
  const client = await clientBehind(() => 'cut', 3_000);
  const error = await client.read('cost', 'x').catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(NetworkError);
  expect(proxy!.asked.length).toBeGreaterThan(1);
});

test('a file over 1 MiB is refused before anything is sent', async () => {
  const client = await clientBehind(() => undefined);
  const long = Readable.from([Buffer.alloc(1_000_000), Buffer.alloc(48_577)]);
  await expect(client.create('cost', long)).rejects.toThrow(FileTooLargeError);
  expect(proxy!.asked).toEqual([]);
});

test('a signal ends waiting with its reason', async () => {
  const client = await clientBehind(() => ({ status: 503 }));
  const reason = new Error('enough');
  const signal = AbortSignal.timeout(300);
  const waiting = client.finished('cost', 'x', { signal });
  await expect(waiting).rejects.toHaveProperty('name', 'TimeoutError');
  await expect(client.read('cost', 'x', { signal: AbortSignal.abort(reason) })).rejects.toBe(
    reason,
  );
});

test('following asks the service to hold its answer, and ends when the service does not know that', async () => {
  const client = await clientBehind(() => undefined);
  const { requestId } = await client.create('cost', Buffer.from(fileWith('cost', {})));
  await client.finished('cost', requestId);
  const reads = proxy!.asked.filter(({ method }) => method === 'GET');
  expect(reads[0]!.headers['prefer']).toMatch(/^wait=\d+$/);
});
