import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { dayOf } from '../../../../src/domain/days.js';
import { lastVersionAt } from '../../../../src/domain/version.js';
import { timeOfUuid } from '../../../../src/domain/request-id.js';
import { firstOffsetOf } from '../../../../src/log/uploads/upload-records.js';
import { timestampOf, type Transition } from '../../../../src/status/transition.js';
import { registry } from '../../../../src/ops/metrics.js';
import { FILE_DISPOSITION, form, post, uploadHeaders } from '../../../support/gateway/forms.js';
import { startGateway, storedUpload, type Gateway } from '../../../support/gateway/gateway.js';
import { RawClient } from '../../../support/gateway/raw-client.js';

const PATH = '/custom-data-upload/v1.0/self-serve/requests/';

let gateway: Gateway;
beforeEach(async () => {
  gateway = await startGateway();
});
afterEach(async () => {
  jest.restoreAllMocks();
  await gateway.close();
});

interface Answer {
  readonly requestId: string;
  readonly createdAt: string;
}

async function upload(content: Uint8Array | string, token?: string): Promise<Answer> {
  const response = await post(
    `${gateway.url}/self-serve/requests/`,
    form({ content }),
    uploadHeaders(token),
  );
  expect(response.status).toBe(201);
  return (await response.json()) as Answer;
}

const lines = (bytes: number): Buffer => Buffer.alloc(bytes, '2026-01-01,channel,event,1.5,x\n');

test('the records of an upload say what they are, in one partition', async () => {
  const content = lines(300_000);
  const { requestId } = await upload(content);
  const { chunks, end, endRecord, ...stored } = storedUpload(gateway.log);
  expect(stored.content.equals(content)).toBe(true);
  expect(stored.aborts).toBe(0);
  expect(chunks.length).toBe(3);
  for (const [i, chunk] of chunks.entries()) {
    expect(chunk.key).toBe(requestId);
    expect(chunk.headers).toEqual({
      type: 'chunk',
      requestId,
      account: 'acme',
      family: 'self-serve',
      sequence: String(i),
    });
    if (i < chunks.length - 1) expect(chunk.value.at(-1)).toBe(0x0a);
  }
  expect(endRecord!.headers).toEqual({
    type: 'end',
    requestId,
    account: 'acme',
    family: 'self-serve',
  });
  expect(new Set([...chunks, endRecord!].map((record) => record.partition)).size).toBe(1);
  expect(end).toMatchObject({ chunks: 3, bytes: 300_000, firstOffset: chunks[0]!.offset });
});

test('a file of one chunk is one append: the chunk stands right before the end', async () => {
  for (let i = 0; i < 3; i++) {
    const { requestId } = await upload(lines(100));
    const { chunks, end, endRecord } = storedUpload(gateway.log, requestId);
    expect(chunks.map(({ offset }) => offset)).toEqual([firstOffsetOf(end!, endRecord!.offset)]);
  }
  expect(gateway.log.appends.get('uploads')).toBe(3);
});

test('the end and the transition tell the same upload', async () => {
  const before = Date.now();
  const { requestId, createdAt } = await upload(lines(100));
  const { end } = storedUpload(gateway.log);
  expect(end).toEqual({
    chunks: 1,
    bytes: 100,
    firstOffset: null,
    acceptedAt: expect.any(Number),
    version: gateway.clock.max.toString(),
    actor: 't1',
    finding: null,
    requestDay: Math.floor(end!.acceptedAt / 86_400_000),
    integratedChannels: ['integrated.one'],
  });
  expect(end!.acceptedAt).toBeGreaterThanOrEqual(before);
  expect(end!.acceptedAt).toBeLessThanOrEqual(Date.now());

  const [event, ...others] = gateway.log.records('status');
  expect(others).toEqual([]);
  expect(event).toMatchObject({ key: requestId, headers: {} });
  expect(JSON.parse(event!.value.toString())).toEqual({
    requestId,
    account: 'acme',
    family: 'self-serve',
    status: 'uploaded',
    prevStatus: null,
    reason: null,
    createdAt,
    updatedAt: createdAt,
    version: end!.version,
    sentMax: end!.version,
    bytes: end!.bytes,
  } satisfies Transition);
  expect(createdAt).toBe(new Date(end!.acceptedAt).toISOString().slice(0, 19));
  expect(gateway.lookup.known.has(requestId)).toBe(true);
});

test('uploads of one partition each know their own first offset', async () => {
  const ids: string[] = [];
  for (let i = 0; i < 12; i++) ids.push((await upload(lines(200_000))).requestId);
  for (const id of ids) {
    const { chunks, end } = storedUpload(gateway.log, id);
    expect(end!.firstOffset).toBe(chunks[0]!.offset);
  }
});

test("the request's day is the account's, near midnight", async () => {
  const justBefore = Date.parse('2026-03-01T14:59:59.900Z'); // 23:59:59.9 in Seoul
  jest.spyOn(Date, 'now').mockReturnValue(justBefore);
  const first = await upload('x', 'seoul-token');
  jest.spyOn(Date, 'now').mockReturnValue(justBefore + 100);
  const second = await upload('x', 'seoul-token');
  const third = await upload('x');
  const ends = [first, second, third].map((answer) => storedUpload(gateway.log, answer.requestId));
  expect(ends.map(({ end }) => end!.requestDay)).toEqual([
    dayOf('2026-03-01'),
    dayOf('2026-03-02'),
    dayOf('2026-03-01'),
  ]);
  expect(first.createdAt).toBe('2026-03-01T14:59:59');
});

test('an id has the time of the clock, also once that has been set back', async () => {
  await upload('x');
  const twoDaysAgo = Date.now() - 2 * 86_400_000;
  jest.spyOn(Date, 'now').mockReturnValue(twoDaysAgo);
  const { requestId, createdAt } = await upload('x');
  expect(timeOfUuid(requestId)).toBe(twoDaysAgo);
  expect(createdAt).toBe(timestampOf(twoDaysAgo));
});

test('the version is drawn after the fence, which is asked when the upload begins', async () => {
  let open: () => void = () => undefined;
  let asked = 0;
  gateway.fence.caughtUp = () => {
    asked += 1;
    return new Promise((resolve) => {
      open = resolve;
    });
  };
  const client = await RawClient.connect(gateway.port);
  const body = form({ content: 'x' });
  client.head(`POST ${PATH}`, { ...uploadHeaders(), 'Content-Length': String(body.length) });
  await client.send(body.subarray(0, 20));
  while (asked === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  await client.send(body.subarray(20));
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(gateway.log.records('uploads')).toEqual([]);

  const seen = gateway.clock.next() + (1n << 100n);
  gateway.clock.observe(seen);
  open();
  expect((await client.answer()).status).toBe(201);
  expect(BigInt(storedUpload(gateway.log).end!.version)).toBeGreaterThan(seen);
  expect(asked).toBe(1);
  client.destroy();
});

test('versions of uploads one after another rise', async () => {
  const versions: bigint[] = [];
  for (let i = 0; i < 5; i++) {
    const { requestId } = await upload('x');
    versions.push(BigInt(storedUpload(gateway.log, requestId).end!.version));
  }
  expect(versions).toEqual([...versions].sort((a, b) => (a < b ? -1 : 1)));
  expect(new Set(versions).size).toBe(5);
});

test('an accepted upload is counted and logged, without its file name, token or values', async () => {
  const response = await post(
    `${gateway.url}/cost/requests/`,
    form({ headers: [FILE_DISPOSITION], content: 'secret-value\n' }),
  );
  const { requestId } = (await response.json()) as Answer;
  const line = gateway.lines.filter((entry) => entry['msg'] === 'create');
  expect(line).toEqual([
    expect.objectContaining({
      level: 30,
      requestId,
      account: 'acme',
      family: 'cost',
      bytes: 13,
      outcome: 'accepted',
      milliseconds: expect.any(Number),
    }),
  ]);
  expect(JSON.stringify(gateway.lines)).not.toMatch(/secret-value|cost\.csv|owner-token/);
  const metrics = await registry.metrics();
  expect(metrics).toMatch(
    /custom_data_http_requests_total\{operation="create",family="cost",code="201"\} [1-9]/,
  );
  expect(metrics).toMatch(/custom_data_upload_bytes_total\{family="cost"\} \d/);
  expect(metrics).toMatch(/custom_data_uploads_receiving 0/);
  expect(metrics).toMatch(/stage="receive"/);
});

test('an upload that would be dropped, as its account is being erased, is not accepted', async () => {
  const create = (): Promise<Response> =>
    post(`${gateway.url}/self-serve/requests/`, form({ content: lines(100) }), uploadHeaders());
  gateway.erased.set('acme', lastVersionAt(Date.now() + 60_000));
  const refused = await create();
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, expect.any(String)]);
  const types = gateway.log.records('uploads').map(({ headers }) => headers['type']);
  expect(types).not.toContain('end');
  expect(gateway.log.records('status')).toEqual([]);
  gateway.erased.set('acme', lastVersionAt(Date.now() - 1));
  expect((await create()).status).toBe(201);
});

test('nor is one that began before the erasure, and arrives after it', async () => {
  const body = form({ content: lines(100) });
  const client = await RawClient.connect(gateway.port);
  client.head(`POST ${PATH}`, { ...uploadHeaders(), 'Content-Length': String(body.length) });
  await sleep(100);
  gateway.erased.set('acme', lastVersionAt(Date.now() - 1));
  await sleep(100);
  await client.send(body);
  expect((await client.answer()).status).toBe(503);
  client.destroy();
});
