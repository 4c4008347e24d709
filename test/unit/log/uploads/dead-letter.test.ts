import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';

import {
  erasedRecords,
  listDeadLetters,
  setAside,
} from '../../../../src/log/uploads/dead-letter.js';
import { retryDeadLetter } from '../../../../src/operator/replay/retry-dead-letter.js';
import { transitionOf } from '../../../../src/status/publisher.js';
import type { UploadEnd } from '../../../../src/log/uploads/upload-records.js';
import { LmdbLog } from '../../../../src/log/lmdb/lmdb-log.js';
import { type LogRecord, LogUnavailableError, type Topic } from '../../../../src/log/upload-log.js';

const RETENTION_MS = 3_600_000;

let folder: string;
let log: LmdbLog;
/** The clock of the log. Every record gets a different time. */
let now: number;
let step: number;
beforeEach(async () => {
  now = Date.now();
  step = 1;
  folder = await mkdtemp(join(tmpdir(), 'dead-letter-'));
  log = LmdbLog.open({
    dir: folder,
    retentionMs: RETENTION_MS,
    timeoutMs: 10_000,
    now: () => (now += step),
    partitions: { uploads: 2, 'dead-letter': 2 },
  });
});
afterEach(async () => {
  await log.close();
  await rm(folder, { recursive: true });
});

const END: UploadEnd = {
  chunks: 2,
  bytes: 7,
  firstOffset: 0,
  acceptedAt: 1_000,
  version: '12345',
  finding: null,
  requestDay: 3,
  integratedChannels: ['x'],
};
const HEADERS = { requestId: 'r1', account: 'acme', family: 'cost' } as const;

async function recordsOf(topic: Topic): Promise<LogRecord[]> {
  const all: LogRecord[] = [];
  for (const [partition, end] of (await log.endOffsets(topic)).entries()) {
    for await (const records of log.read(topic, partition, 0, end)) all.push(...records);
  }
  return all;
}

/** Sets an upload aside. Its chunks interleave with a chunk of another upload. */
async function setOneAside(end: UploadEnd = END): Promise<void> {
  const chunk = (requestId: string, sequence: number, text: string): Promise<unknown> =>
    log.append('uploads', [
      {
        key: requestId,
        partition: 1,
        headers: { ...HEADERS, requestId, type: 'chunk', sequence: String(sequence) },
        value: Buffer.from(text),
      },
    ]);
  await chunk('r1', 0, 'one,');
  await chunk('other', 0, 'not mine');
  await chunk('r1', 1, 'two');
  await setAside(
    log,
    { ...HEADERS, end, partition: 1, endOffset: 3 },
    { kind: 'rejected', code: 6 },
  );
}

test('an upload is set aside whole, and listed with its cause', async () => {
  await setOneAside();
  const [letter, ...others] = await listDeadLetters(log);
  expect(others).toEqual([]);
  expect(letter).toMatchObject({
    ...HEADERS,
    end: END,
    cause: { kind: 'rejected', code: 6 },
    retriedAs: undefined,
  });
});

test('a retry appends the same chunks as a new request at the old version', async () => {
  await setOneAside();
  const [letter] = await listDeadLetters(log);
  const { requestId } = await retryDeadLetter(log, letter!, 'operator:test');
  expect(requestId).not.toBe('r1');

  const again = (await recordsOf('uploads')).filter(
    ({ headers }) => headers['requestId'] === requestId,
  );
  const { acceptedAt } = JSON.parse(String(again.at(-1)!.value)) as UploadEnd;
  expect(new Set(again.map(({ partition }) => partition)).size).toBe(1);
  expect(
    again.map(({ headers, value }) => [headers['type'], headers['sequence'], String(value)]),
  ).toEqual([
    ['chunk', '0', 'one,'],
    ['chunk', '1', 'two'],
    [
      'end',
      undefined,
      JSON.stringify({ ...END, acceptedAt, actor: 'operator:test', firstOffset: again[0]!.offset }),
    ],
  ]);
  const [uploaded] = (await recordsOf('status')).map(({ value }) => transitionOf(value));
  expect(uploaded).toMatchObject({
    requestId,
    status: 'uploaded',
    version: END.version,
    bytes: END.bytes,
  });
  expect((await listDeadLetters(log))[0]!.retriedAs).toBe(requestId);
});

test('a retry is done although the log goes away before it marks the dead letter', async () => {
  await setOneAside();
  const [letter] = await listDeadLetters(log);
  const append = log.append.bind(log);
  jest.spyOn(log, 'append').mockImplementation((topic, records) => {
    if (records.some(({ headers }) => headers['type'] !== 'retried')) return append(topic, records);
    return Promise.reject(new LogUnavailableError('away'));
  });
  const { requestId, isMarked } = await retryDeadLetter(log, letter!, 'operator:test');
  expect(isMarked).toBe(false);
  expect((await recordsOf('uploads')).map(({ headers }) => headers)).toContainEqual(
    expect.objectContaining({ type: 'end', requestId }),
  );
});

test('an upload without chunks can be set aside and retried too', async () => {
  const end = { ...END, chunks: 0, bytes: 0, firstOffset: null };
  await setAside(
    log,
    { ...HEADERS, end, partition: 0, endOffset: 0 },
    { kind: 'crash', deaths: 3 },
  );
  const [letter] = await listDeadLetters(log);
  const { requestId } = await retryDeadLetter(log, letter!, 'operator:test');
  expect(await recordsOf('uploads')).toHaveLength(1);
  expect((await recordsOf('uploads'))[0]!.headers).toMatchObject({ type: 'end', requestId });
});

describe('of an account that was erased', () => {
  const none = { ...END, chunks: 0, bytes: 0, firstOffset: null };
  const setAsideAs = (requestId: string, account: string, version: bigint): Promise<void> =>
    setAside(
      log,
      {
        ...HEADERS,
        requestId,
        account,
        end: { ...none, version: String(version) },
        partition: 0,
        endOffset: 0,
      },
      { kind: 'crash', deaths: 3 },
    );
  const erase = (account: string, version: bigint): Promise<unknown> =>
    log.append('dead-letter', erasedRecords(account, version, log.partitions('dead-letter')));
  const listed = async (): Promise<string[]> =>
    (await listDeadLetters(log)).map(({ requestId }) => requestId);

  test('what was uploaded before is not listed, whatever partition it is in', async () => {
    const before = Array.from({ length: 8 }, (_, i) => `before ${i}`);
    for (const requestId of before) await setAsideAs(requestId, 'acme', 5n);
    const partitions = (await log.endOffsets('dead-letter')).filter((end) => end > 0);
    expect(partitions).toHaveLength(2);
    await setAsideAs('of another', 'other', 5n);
    expect(await listed()).toHaveLength(9);
    await erase('acme', 5n);
    expect(await listed()).toEqual(['of another']);
  });

  test('what is set aside meanwhile is not listed, what was uploaded later is', async () => {
    await erase('acme', 5n);
    await erase('acme', 3n);
    await setAsideAs('under way', 'acme', 5n);
    await setAsideAs('later', 'acme', 6n);
    expect(await listed()).toEqual(['later']);
  });

  test('it stays unlisted as long as the log has it', async () => {
    await setAsideAs('before', 'acme', 5n);
    await erase('acme', 5n);
    for (const end of await log.endOffsets('dead-letter')) expect(end).toBeGreaterThan(0);
    const [first] = (await recordsOf('dead-letter')).filter(
      ({ headers }) => headers['type'] === 'set-aside',
    );
    // The last moment at which the log keeps this record, but nothing older.
    now = first!.timestamp + RETENTION_MS;
    step = 0;
    await log.deleteExpired();
    expect((await recordsOf('dead-letter')).map(({ headers }) => headers['type'])).toContain(
      'set-aside',
    );
    expect(await listed()).toEqual([]);
  });
});

test('an upload of which the log has lost a part is not brought back', async () => {
  await setOneAside();
  const [letter] = await listDeadLetters(log);
  const [first] = await recordsOf('dead-letter');
  expect(first!.headers).toMatchObject({ type: 'chunk', sequence: '0' });
  now = first!.timestamp + RETENTION_MS + 1;
  step = 0;
  expect(await log.deleteExpired()).toBe(1);
  const retried = retryDeadLetter(log, letter!, 'operator:test');
  await expect(retried).rejects.toThrow("only 1 of the upload's 2 chunks");
  expect((await listDeadLetters(log))[0]!.retriedAs).toBeUndefined();
});
