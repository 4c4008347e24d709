import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, expect, test } from '@jest/globals';

import { carryOver } from '../../../src/dead-letter/carry-over.js';
import { listDeadLetters } from '../../../src/dead-letter/list.js';
import { retryDeadLetter } from '../../../src/dead-letter/retry.js';
import { setAside } from '../../../src/dead-letter/set-aside.js';
import { transitionOf } from '../../../src/domain/requests/transition-record.js';
import type { UploadEnd } from '../../../src/domain/upload-records.js';
import { LmdbLog } from '../../../src/log/lmdb/lmdb-log.js';
import type { LogRecord, Topic } from '../../../src/log/upload-log.js';

let folder: string;
let log: LmdbLog;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dead-letter-'));
  log = LmdbLog.open({
    dir: folder,
    retentionMs: 3_600_000,
    timeoutMs: 10_000,
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

/** An upload in the log, interleaved with another's chunk. */
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
  const requestId = await retryDeadLetter(log, letter!, 'operator:test');
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
    ['end', undefined, JSON.stringify({ ...END, acceptedAt, firstOffset: again[0]!.offset })],
  ]);
  const [uploaded] = (await recordsOf('status')).map(({ value }) => transitionOf(value));
  expect(uploaded).toMatchObject({
    requestId,
    status: 'uploaded',
    version: END.version,
    actor: 'operator:test',
  });
  expect((await listDeadLetters(log))[0]!.retriedAs).toBe(requestId);
});

test('an upload without chunks can be set aside and retried too', async () => {
  const end = { ...END, chunks: 0, bytes: 0, firstOffset: null };
  await setAside(
    log,
    { ...HEADERS, end, partition: 0, endOffset: 0 },
    { kind: 'crash', deaths: 3 },
  );
  const [letter] = await listDeadLetters(log);
  const requestId = await retryDeadLetter(log, letter!, 'operator:test');
  expect(await recordsOf('uploads')).toHaveLength(1);
  expect((await recordsOf('uploads'))[0]!.headers).toMatchObject({ type: 'end', requestId });
});

test('what is about to be deleted is set aside anew, but for what is erased or brought back', async () => {
  await setOneAside();
  const none = { ...END, chunks: 0, bytes: 0, firstOffset: null };
  for (const requestId of ['erased', 'retried']) {
    const upload = { ...HEADERS, requestId, end: none, partition: 0, endOffset: 0 };
    await setAside(log, upload, { kind: 'crash', deaths: 3 });
  }
  const before = await listDeadLetters(log);
  await retryDeadLetter(
    log,
    before.find(({ requestId }) => requestId === 'retried')!,
    'test',
  );
  const ends = await log.endOffsets('dead-letter');
  for (const [partition, end] of ends.entries()) {
    await carryOver(log, partition, end, ({ requestId }) => requestId === 'erased');
  }
  await log.forget('dead-letter', {
    matches: ({ partition, offset }) => offset < ends[partition]!,
    group: undefined,
  });
  const [letter, ...others] = await listDeadLetters(log);
  expect(others).toEqual([]);
  expect(letter).toMatchObject({ ...HEADERS, end: END, cause: { kind: 'rejected', code: 6 } });
  const requestId = await retryDeadLetter(log, letter!, 'operator:test');
  const again = (await recordsOf('uploads')).filter(
    ({ headers }) => headers['requestId'] === requestId && headers['type'] === 'chunk',
  );
  expect(again.map(({ value }) => String(value))).toEqual(['one,', 'two']);
});

test('nothing is carried over while an upload is being set aside', async () => {
  await setOneAside();
  await log.append('dead-letter', [
    {
      key: 'r2',
      partition: 0,
      headers: { ...HEADERS, requestId: 'r2', type: 'chunk', sequence: '0' },
      value: Buffer.from('its first chunk'),
    },
  ]);
  await expect(carryOver(log, 0, 99, () => false)).rejects.toThrow('is being set aside');
});

test('an upload of which the log has lost a part is not brought back', async () => {
  await setOneAside();
  const [letter] = await listDeadLetters(log);
  await log.forget('dead-letter', {
    matches: ({ headers }) => headers['sequence'] === '1',
    group: undefined,
  });
  const retried = retryDeadLetter(log, letter!, 'operator:test');
  await expect(retried).rejects.toThrow("only 1 of the upload's 2 chunks");
  expect((await listDeadLetters(log))[0]!.retriedAs).toBeUndefined();
});

test('what stands behind the deletion stays where it is', async () => {
  await setOneAside();
  const ends = await log.endOffsets('dead-letter');
  for (const partition of ends.keys()) await carryOver(log, partition, 0, () => false);
  expect(await log.endOffsets('dead-letter')).toEqual(ends);
});
