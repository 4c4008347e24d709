import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';

import type { UploadRequestRecord } from '../../../src/status/transition.js';
import { lastVersionAt } from '../../../src/domain/version.js';
import { CLAIM_MS } from '../../../src/gateway/create/idempotency/claim-view.js';
import { form, post, problemOf, uploadHeaders } from '../../support/gateway/forms.js';
import {
  eventually,
  type Gateway,
  OWNER,
  startGateway,
  storedUpload,
} from '../../support/gateway/gateway.js';

const LOG_TIMEOUT_MS = 1_000;
const SETTLES_MS = 3 * LOG_TIMEOUT_MS;

let gateway: Gateway;
beforeEach(async () => {
  gateway = await startGateway({ logTimeoutMs: LOG_TIMEOUT_MS });
});
afterEach(() => gateway.close());

interface Sent {
  readonly key?: string;
  readonly content?: string;
  readonly family?: string;
  readonly token?: string;
}

function create({ key, content = 'a,b\n1,2\n', family = 'cost', token }: Sent): Promise<Response> {
  const headers = uploadHeaders(token ?? OWNER);
  if (key !== undefined) headers['Idempotency-Key'] = key;
  return post(`${gateway.url}/${family}/requests/`, form({ content }), headers);
}

async function accepted(sent: Sent): Promise<UploadRequestRecord> {
  const answer = await create(sent);
  expect(answer.status).toBe(201);
  const record = (await answer.json()) as UploadRequestRecord;
  expect(answer.headers.get('location')).toContain(record.requestId);
  return record;
}

const ends = (): string[] =>
  gateway.log
    .records('uploads')
    .filter(({ headers }) => headers['type'] === 'end')
    .map(({ key }) => key);

/** Moves the log's clock ahead, so that the claims that it has have settled. */
function settle(): void {
  gateway.log.now = () => Date.now() + SETTLES_MS;
}

describe('the same key', () => {
  test('with the same file gives the same request, in its state by then, and nothing new', async () => {
    const first = await accepted({ key: '"k 1"' });
    const transition = gateway.lookup.known.get(first.requestId)!;
    gateway.lookup.remember({ ...transition, status: 'validated', prevStatus: 'uploaded' });
    const again = await accepted({ key: '"k 1"' });
    expect(again).toEqual({ ...first, status: 'validated', prevStatus: 'uploaded' });
    expect(ends()).toEqual([first.requestId]);
    // The repeated upload writes nothing.
    expect(gateway.log.records('uploads')).toHaveLength(2);
    expect(gateway.log.records('status')).toHaveLength(1);
  });

  test('with the same large file gives up what was written of it', async () => {
    const content = 'a,b\n'.repeat(100_000);
    const first = await accepted({ key: 'k', content });
    expect((await accepted({ key: 'k', content })).requestId).toBe(first.requestId);
    expect(ends()).toEqual([first.requestId]);
    await eventually(() => storedUpload(gateway.log).aborts === 1);
  });

  test('with another file, or for the other family, is 422', async () => {
    const first = await accepted({ key: 'k' });
    for (const other of [{ content: 'a,b\n1,3\n' }, { family: 'self-serve' }]) {
      const refused = await create({ key: 'k', ...other });
      expect([refused.status, (await problemOf(refused)).detail]).toEqual([
        422,
        'This Idempotency-Key was sent with another file within the last 24 hours.',
      ]);
    }
    expect(ends()).toEqual([first.requestId]);
  });

  test('of another account is another key', async () => {
    const first = await accepted({ key: 'k' });
    const other = await accepted({ key: 'k', token: 'other-token', content: 'x' });
    expect(ends().sort()).toEqual([first.requestId, other.requestId].sort());
  });

  test('ten times at once gives one request', async () => {
    gateway.log.delayMs = 20;
    const records = await Promise.all(Array.from({ length: 10 }, () => accepted({ key: 'k' })));
    expect(new Set(records.map(({ requestId }) => requestId))).toEqual(new Set(ends()));
    expect(ends()).toHaveLength(1);
  });

  test('is free again after 24 hours', async () => {
    const first = await accepted({ key: 'k' });
    gateway.log.now = () => Date.now() + CLAIM_MS;
    const later = await accepted({ key: 'k', content: 'other' });
    expect(ends().sort()).toEqual([first.requestId, later.requestId].sort());
  });
});

describe('of an account that was erased', () => {
  const erase = (): void => {
    gateway.erased.set('acme', lastVersionAt(Date.now()));
    gateway.lookup.known.clear();
  };

  test('the key is free again, for the same file and for another', async () => {
    const keys = ['same', 'another'];
    const before = await Promise.all(keys.map((key) => accepted({ key })));
    erase();
    settle();
    await sleep(2);
    const [same, another] = [
      await accepted({ key: 'same' }),
      await accepted({ key: 'another', content: 'x,y\n3,4\n' }),
    ];
    const all = [...before, same, another].map(({ requestId }) => requestId);
    expect(ends().sort()).toEqual(all.sort());
    // From now on the keys belong to the new account.
    expect((await accepted({ key: 'same' })).requestId).toBe(same.requestId);
    expect((await create({ key: 'another' })).status).toBe(422);
  });

  test('an upload that was under way holds the key until it has settled, whatever its file', async () => {
    await accepted({ key: 'k' });
    erase();
    await sleep(2);
    const early = await create({ key: 'k', content: 'x,y\n3,4\n' });
    expect([early.status, early.headers.get('retry-after')]).toEqual([
      409,
      expect.stringMatching(/^[123]$/),
    ]);
    settle();
    await accepted({ key: 'k', content: 'x,y\n3,4\n' });
  });
});

describe('an upload that did not come to its end', () => {
  const isEnd = (record: { headers: Readonly<Record<string, string>> }): boolean =>
    record.headers['type'] === 'end';

  test('is in progress until it has settled, and then gives way', async () => {
    gateway.log.fails = (_, records) => records.some(isEnd);
    expect((await create({ key: 'k' })).status).toBe(503);
    gateway.log.fails = () => false;

    const early = await create({ key: 'k' });
    expect(early.status).toBe(409);
    expect(early.headers.get('retry-after')).toMatch(/^[123]$/);
    expect((await problemOf(early)).detail).toContain('in progress');
    expect(ends()).toEqual([]);

    // Here in real time, elsewhere by the clock of the log.
    await sleep(SETTLES_MS);
    const retries = await Promise.all([1, 2, 3].map(() => accepted({ key: 'k' })));
    expect(new Set(retries.map(({ requestId }) => requestId))).toEqual(new Set(ends()));
    expect(ends()).toHaveLength(1);
  });

  test('is waited for when it does so in time', async () => {
    let held = (): void => undefined;
    const { caughtUp } = gateway.fence;
    const append = gateway.log.append.bind(gateway.log);
    gateway.log.append = async (topic, records) => {
      if (records.some(isEnd)) await new Promise<void>((resolve) => (held = resolve));
      return append(topic, records);
    };
    const first = accepted({ key: 'k' });
    await eventually(() => gateway.log.records('claims').length === 1);
    const second = accepted({ key: 'k' });
    await eventually(() => gateway.log.records('claims').length === 2);
    await sleep(50);
    held();
    expect((await second).requestId).toBe((await first).requestId);
    gateway.fence.caughtUp = caughtUp;
  });

  test('but is in the log becomes known by the next one', async () => {
    gateway.log.fails = (topic) => topic === 'status';
    expect((await create({ key: 'k' })).status).toBe(503);
    gateway.log.fails = () => false;
    settle();
    const again = await accepted({ key: 'k' });
    expect(ends()).toEqual([again.requestId]);
    expect(again.status).toBe('uploaded');
    const [told] = gateway.log.records('status');
    expect(JSON.parse(told!.value.toString())).toMatchObject({
      requestId: again.requestId,
      account: 'acme',
      family: 'cost',
      status: 'uploaded',
      version: storedUpload(gateway.log, again.requestId).end!.version,
    });
  });

  test('but is in the log stays the only one while nobody knows its state', async () => {
    gateway.log.fails = (topic) => topic === 'status';
    expect((await create({ key: 'k' })).status).toBe(503);
    gateway.log.fails = () => false;
    settle();
    const { lookup } = gateway;
    const find = lookup.find.bind(lookup);
    // The warehouse stops answering after the first question.
    lookup.find = (id) => (lookup.known.has(id) ? Promise.resolve('unavailable') : find(id));
    expect((await create({ key: 'k' })).status).toBe(503);
    lookup.find = find;
    const again = await accepted({ key: 'k' });
    expect(ends()).toEqual([again.requestId]);
  });

  test('also an empty one', async () => {
    gateway.log.fails = (topic) => topic === 'status';
    expect((await create({ key: 'k', content: '' })).status).toBe(503);
    gateway.log.fails = () => false;
    settle();
    expect(ends()).toEqual([(await accepted({ key: 'k', content: '' })).requestId]);
  });

  test('is not answered for while its state cannot be told', async () => {
    await accepted({ key: 'k' });
    gateway.lookup.isAvailable = false;
    settle();
    expect((await create({ key: 'k' })).status).toBe(503);
    expect(ends()).toHaveLength(1);
  });
});

test('a claim that the log does not take is 503, and the upload is not applied', async () => {
  gateway.log.fails = (topic) => topic === 'claims';
  expect((await create({ key: 'k' })).status).toBe(503);
  expect(ends()).toEqual([]);
});

test('a malformed key is 400', async () => {
  const refused = await create({ key: 'k'.repeat(256) });
  expect([refused.status, (await problemOf(refused)).detail]).toEqual([
    400,
    'The header Idempotency-Key has to be one key of 1 to 255 printable ASCII characters.',
  ]);
  expect(gateway.log.records('uploads')).toEqual([]);
});

test('uploads without a key have nothing to do with claims', async () => {
  gateway.log.tail = () => {
    throw new Error('the claims are followed');
  };
  await accepted({});
  await accepted({});
  expect(ends()).toHaveLength(2);
  expect(gateway.log.records('claims')).toEqual([]);
});
