import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { expect, test } from '@jest/globals';

import { auditEventOf, auditEventOfRequest } from '../../../src/status/audit.js';
import { archivalOf } from '../../../src/operator/metric-archival/metric-archival.js';
import { listDeadLetters } from '../../../src/log/uploads/dead-letter.js';
import { transitionOf } from '../../../src/status/publisher.js';
import { erasureOf } from '../../../src/operator/erasure/account-erasure.js';
import { claimOf } from '../../../src/gateway/create/idempotency/claim.js';
import { Assembler } from '../../../src/ingest/assemble/assembler.js';
import { Watermark } from '../../../src/ingest/watermark/owned-partition.js';
import { FormattedLog, FORMATS } from '../../../src/log/formatted-log.js';
import { type LogRecord, type Topic, TOPICS, type UploadLog } from '../../../src/log/upload-log.js';
import { MemoryFiles } from '../../support/disk/memory-files.js';
import { MemoryLog } from '../../support/gateway/memory-log.js';
import { openStore } from '../ingest/assemble/spill-folder.js';

/**
 * A record of each kind in each format that was ever written. A new format gets a new file. Never
 * change a record of an existing file, because logs hold records like it.
 */
const SAMPLES = fileURLToPath(new URL('samples/', import.meta.url));
const VERSION = '2151937640281716325837254873000000000';
const REQUEST = '019e1f5a-6a10-7c3e-8f21-6f0d2b8f4a01';
const OTHER = '019e1f5a-6b00-7000-8000-000000000002';
const AT = Date.parse('2026-05-28T10:00:00Z');

interface Sample {
  readonly key: string;
  readonly headers: Record<string, string>;
  readonly value: string;
}

async function logOf(topic: Topic, format: number): Promise<UploadLog> {
  const text = readFileSync(`${SAMPLES}${topic}.${format}.json`, 'utf8');
  const memory = new MemoryLog(1);
  for (const { key, headers, value } of JSON.parse(text) as Sample[]) {
    await memory.append(topic, [{ key, partition: 0, headers, value: Buffer.from(value) }]);
  }
  return new FormattedLog(memory);
}

async function recordsOf(log: UploadLog, topic: Topic): Promise<LogRecord[]> {
  const all: LogRecord[] = [];
  for await (const records of log.read(topic, 0, 0, Infinity)) all.push(...records);
  return all;
}

test('there is a sample of every form of every topic, and each is read by a test', () => {
  const known = TOPICS.flatMap((topic) =>
    Array.from({ length: FORMATS[topic] }, (_, i) => `${topic}.${i + 1}.json`),
  );
  expect(readdirSync(SAMPLES).sort()).toEqual(known.sort());
  expect(FORMATS).toEqual({ uploads: 1, status: 1, 'dead-letter': 1, control: 1, claims: 1 });
});

test('uploads, form 1: an upload is put together, and one that was aborted is none', async () => {
  const log = await logOf('uploads', 1);
  const store = await openStore({ path: 'spill' }, 1_000, new MemoryFiles());
  const assembler = new Assembler(log, store, new Watermark(0), 60_000);
  const complete = [];
  for (const record of await recordsOf(log, 'uploads')) {
    const upload = await assembler.take(record);
    if (upload !== undefined) complete.push(upload);
  }
  expect(complete).toHaveLength(1);
  expect(complete[0]).toMatchObject({
    requestId: REQUEST,
    account: 'acme',
    family: 'cost',
    partition: 0,
    endOffset: 4,
    traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
    end: {
      acceptedAt: AT,
      version: VERSION,
      finding: null,
      requestDay: 20_601,
      integratedChannels: ['google'],
      chunks: 2,
      firstOffset: 0,
    },
  });
  expect(Buffer.concat(complete[0]!.parts!).toString()).toBe(
    'date,channel,currency,campaign,impressions,clicks,cost\n2026-05-28,news,EUR,spring,10,1,0.5\n',
  );
  expect(assembler.hasOpenUploads).toBe(false);
});

test('status, form 1: every transition is what it was', async () => {
  const log = await logOf('status', 1);
  const transitions = (await recordsOf(log, 'status')).map(({ value }) => transitionOf(value));
  expect(transitions.map(({ status, prevStatus }) => [status, prevStatus])).toEqual([
    ['uploaded', null],
    ['validated', 'uploaded'],
    ['ingested', 'validated'],
    ['succeeded', 'ingested'],
    ['failed', 'uploaded'],
    ['uploaded', null],
    ['validated', 'uploaded'],
  ]);
  expect(transitions[3]).toEqual({
    requestId: REQUEST,
    account: 'acme',
    family: 'cost',
    status: 'succeeded',
    prevStatus: 'ingested',
    reason: null,
    createdAt: '2026-05-28T10:00:00',
    updatedAt: '2026-05-28T10:00:01',
    version: VERSION,
    sentMax: VERSION,
    rows: { validated: 1, stored: 1, readBack: 1 },
  });
  expect(transitions[4]!.reason).toContain('is not a date');
  // Older records have no bytes.
  expect(transitions.map(({ bytes }) => bytes)).toEqual([...Array<undefined>(5), 583, 583]);
  const event = { at: AT, actor: 'token-1', action: 'upload', account: 'acme', subject: REQUEST };
  // Older records have the actor on `uploaded`.
  expect(transitions.map((transition) => auditEventOfRequest(transition)?.actor)).toEqual([
    'token-1',
    ...Array<undefined>(4),
    'token-1',
    'token-2',
  ]);
  expect(auditEventOfRequest(transitions[0]!)).toEqual(event);
});

test('dead-letter, form 1: what was set aside is listed, unless its account was erased', async () => {
  const none = { firstOffset: null, end: { version: VERSION, chunks: 0 }, retriedAs: undefined };
  expect(await listDeadLetters(await logOf('dead-letter', 1))).toMatchObject([
    {
      requestId: REQUEST,
      account: 'acme',
      family: 'cost',
      position: { partition: 0, offset: 2 },
      firstOffset: 0,
      cause: { kind: 'rejected', code: 53 },
      end: { version: VERSION, chunks: 2 },
      retriedAs: OTHER,
    },
    { account: 'acme', cause: { kind: 'crash', deaths: 3 }, ...none },
    { account: 'acme', cause: { kind: 'exception', error: 'RangeError' }, ...none },
  ]);
});

test('control, form 1: every order is what it was', async () => {
  const log = await logOf('control', 1);
  const [archival, erasure, audit] = await recordsOf(log, 'control');
  expect(archivalOf(archival!)).toMatchObject({ account: 'acme', name: 'visits', archived: true });
  const order = { account: 'beta', version: BigInt(VERSION), actor: 'operator:ann', at: AT };
  expect(erasureOf(erasure!)).toEqual(order);
  const events = [archival!, erasure!, audit!].map(auditEventOf);
  expect(events.map((event) => [event!.actor, event!.at])).toEqual(
    Array.from({ length: 3 }, () => ['operator:ann', AT]),
  );
  expect(events.map((event) => [event!.action, event!.account, event!.subject])).toEqual([
    ['archive-metric', 'acme', 'visits'],
    ['erase-account', 'beta', 'beta'],
    ['create-token', 'acme', 'token-1'],
  ]);
});

test('claims, form 1: a claim is what it was', async () => {
  const [claim] = await recordsOf(await logOf('claims', 1), 'claims');
  expect(claimOf(claim!)).toEqual({
    key: 'pZGm1Av0IEBKARczz7exkNYsZb8LzaMrV7J32a2fFG4',
    requestId: REQUEST,
    digest: '47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU',
    partition: 0,
    from: 0,
    settlesMs: 30_000,
    supersedes: OTHER,
    takenAt: claim!.timestamp,
  });
});
