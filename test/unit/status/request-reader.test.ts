import { CONSUMER_GROUPS } from '../../../src/log/upload-log.js';
import { randomUUID } from 'node:crypto';

import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';

import { type Status, advance, type Transition, uploaded } from '../../../src/status/transition.js';
import { transitionRecord } from '../../../src/status/publisher.js';
import { VersionClock } from '../../../src/domain/version.js';
import type { LmdbLog } from '../../../src/log/lmdb/lmdb-log.js';
import { RequestReader } from '../../../src/status/request-reader.js';
import { StatusTail } from '../../../src/status/status-tail.js';
import { StatusView } from '../../../src/status/status-view.js';
import { Collector, LogFolders } from '../../support/log/log-folders.js';
import { until } from '../../support/until.js';

/** A gateway starts on a status topic whose records are already in the history. */

const LARGE_VIEW = 1e9;

const folders = new LogFolders();
let log: LmdbLog;
let written: Map<string, Transition>;
let lookUps: number;
let isAway: boolean;
/** Happens while the history is asked. */
let meanwhile: (() => Promise<void>) | undefined;
const versions = new VersionClock(Date.now, () => 1n);
let tails: StatusTail[];

beforeEach(async () => {
  log = await folders.open();
  written = new Map();
  [lookUps, isAway, tails, meanwhile] = [0, false, [], undefined];
});
afterEach(async () => {
  await Promise.all(tails.map((tail) => tail.stop()));
  await folders.cleanUp();
});

const history = {
  async find(requestId: string): Promise<Transition | undefined> {
    lookUps++;
    if (isAway) throw new Error('away');
    await meanwhile?.();
    return written.get(requestId);
  },
};

/** Returns the transitions of a new request, up to and including `last`. */
function life(last: Status): Transition[] {
  const version = versions.next().toString();
  const identity = { requestId: randomUUID(), account: 'acme', family: 'cost' } as const;
  const all = [uploaded({ ...identity, version, sentMax: version, bytes: 7 }, Date.now())];
  const rows = { validated: 1, stored: 1, readBack: 1 };
  for (const status of ['validated', 'ingested', 'succeeded'] as const) {
    if (all.at(-1)!.status === last) break;
    all.push(advance(all.at(-1)!, { status, reason: null, sentMax: version, rows }, Date.now()));
  }
  return all;
}

async function publish(...transitions: Transition[]): Promise<void> {
  for (const transition of transitions) await log.append('status', [transitionRecord(transition)]);
}

/** Does the work of the status role: afterwards the history has everything on the topic. */
async function writeHistory(...furthest: Transition[]): Promise<void> {
  for (const transition of furthest) written.set(transition.requestId, transition);
  const consumer = new Collector();
  const consumption = await log.consume('status', CONSUMER_GROUPS.history.group, consumer);
  const [end] = await log.endOffsets('status');
  await until(() => consumer.seen.at(-1)?.offset === end! - 1);
  await consumption.commit(0, end!);
  await consumption.stop();
}

async function startGateway(
  viewBytes = LARGE_VIEW,
  historyRetentionMs?: number,
): Promise<RequestReader> {
  const view = new StatusView(viewBytes);
  const clock = new VersionClock(Date.now, () => 1n);
  const tail = await StatusTail.start(log, view, clock);
  tails.push(tail);
  const reader = new RequestReader(view, tail, history, 1_000, historyRetentionMs);
  await reader.caughtUp();
  const highest = [...written.values()].map(({ version }) => BigInt(version));
  view.mayLack(highest.reduce((a, b) => (a > b ? a : b), 0n).toString());
  return reader;
}

const statusOf = async (reader: RequestReader, { requestId }: Transition): Promise<string> => {
  const found = await reader.find(requestId);
  return typeof found === 'string' ? found : found.status;
};

test.each(['uploaded', 'validated', 'ingested'] as const)(
  'a record %s that comes late or twice does not hide what the request has come to',
  async (late) => {
    const all = life('succeeded');
    const last = all.at(-1)!;
    await publish(...all);
    await writeHistory(last);
    await publish(all.find(({ status }) => status === late)!);
    const reader = await startGateway();
    for (let i = 0; i < 50; i++) expect(await statusOf(reader, last)).toBe('succeeded');
    // There is one look-up, however often the request is read.
    expect(lookUps).toBe(1);
  },
);

test('a late record that comes while the gateway runs does not hide it either', async () => {
  const all = life('succeeded');
  await publish(...all);
  await writeHistory(all.at(-1)!);
  const reader = await startGateway();
  await publish(all[0]!);
  await reader.caughtUp();
  expect(await statusOf(reader, all[0]!)).toBe('succeeded');
});

test('a request that was under way at the start goes on from what the history has of it', async () => {
  const all = life('succeeded');
  await publish(...all.slice(0, 2));
  await writeHistory(all[1]!);
  const reader = await startGateway();
  await publish(all[0]!);
  await reader.caughtUp();
  expect(await statusOf(reader, all[0]!)).toBe('validated');
  await publish(...all.slice(2));
  await reader.caughtUp();
  expect(await statusOf(reader, all[0]!)).toBe('succeeded');
  expect(lookUps).toBe(1);
});

test('of requests made since the start the history is never asked', async () => {
  await publish(...life('succeeded'));
  await writeHistory(life('succeeded').at(-1)!);
  const reader = await startGateway();
  const [own] = life('uploaded');
  reader.remember(own!);
  const elsewhere = life('ingested');
  await publish(...elsewhere.slice(1));
  await reader.caughtUp();
  for (let i = 0; i < 50; i++) {
    expect(await statusOf(reader, own!)).toBe('uploaded');
    expect(await statusOf(reader, elsewhere[0]!)).toBe('ingested');
  }
  expect(lookUps).toBe(0);
});

test('a request that the view forgot is asked for until the history has what was forgotten', async () => {
  const reader = await startGateway(2_500);
  const all = life('succeeded');
  await publish(...all);
  for (let i = 0; i < 10; i++) await publish(...life('uploaded'));
  await publish(all[0]!);
  await reader.caughtUp();
  // Not written yet: the view's state may be older than one that it returned before.
  expect(await statusOf(reader, all[0]!)).toBe('unavailable');
  await writeHistory(all.at(-1)!);
  expect(await statusOf(reader, all[0]!)).toBe('succeeded');
});

test('a state does not go back when the view forgets it while the history is asked', async () => {
  const all = life('succeeded');
  await publish(...all.slice(0, 2));
  await writeHistory(all[1]!);
  const reader = await startGateway(2_500);
  await publish(all[2]!);
  await reader.caughtUp();
  meanwhile = async () => {
    meanwhile = undefined;
    for (let i = 0; i < 10; i++) await publish(...life('uploaded'));
    await reader.caughtUp();
  };
  expect(await statusOf(reader, all[0]!)).toBe('unavailable');
  await writeHistory(all[2]!);
  expect(await statusOf(reader, all[0]!)).toBe('ingested');
});

test('while the log is away a state that may be old is not told', async () => {
  const all = life('succeeded');
  await publish(...all);
  await writeHistory(all.at(-1)!);
  await publish(all[0]!);
  const reader = await startGateway();
  await log.close();
  expect(await statusOf(reader, all[0]!)).toBe('unavailable');
});

test('while the history is away only a final state of the view is told, and it is asked again', async () => {
  const [all, final] = [life('succeeded'), life('succeeded')];
  await publish(...all, ...final);
  await writeHistory(all.at(-1)!, final.at(-1)!);
  await publish(all[0]!, final.at(-1)!);
  const reader = await startGateway();
  isAway = true;
  expect(await statusOf(reader, all[0]!)).toBe('unavailable');
  expect(await statusOf(reader, final[0]!)).toBe('succeeded');
  expect(await statusOf(reader, life('uploaded')[0]!)).toBe('unavailable');
  isAway = false;
  expect(await statusOf(reader, all[0]!)).toBe('succeeded');
  expect(await statusOf(reader, life('uploaded')[0]!)).toBe('unknown');
});

/** The transition of a replay that finds the upload's first chunk deleted. */
function failing(last: Transition): Transition {
  const rows = { validated: 0, stored: 0, readBack: 0 };
  const change = { status: 'failed', reason: '{}', sentMax: last.version, rows } as const;
  return advance(last, change, Date.now());
}

test('a failure that a replay publishes late does not hide the success while the history is away', async () => {
  const last = life('succeeded').at(-1)!;
  await publish(last);
  await writeHistory(last);
  await publish(failing(last));
  const reader = await startGateway();
  isAway = true;
  expect(await statusOf(reader, last)).toBe('unavailable');
  isAway = false;
  expect(await statusOf(reader, last)).toBe('succeeded');
});

test('a failure in the history does not hide a success that the view forgot', async () => {
  const last = life('succeeded').at(-1)!;
  await publish(failing(last));
  await writeHistory(failing(last));
  const reader = await startGateway(2_500);
  await publish(last);
  await reader.caughtUp();
  expect(await statusOf(reader, last)).toBe('succeeded');
  for (let i = 0; i < 10; i++) await publish(...life('uploaded'));
  await reader.caughtUp();
  expect(await statusOf(reader, last)).toBe('unavailable');
  await writeHistory(last);
  expect(await statusOf(reader, last)).toBe('succeeded');
});

test('a request that is older than the retention is unknown, and neither view nor history is asked', async () => {
  const retentionMs = 3_600_000;
  const made = (ago: number): Transition => {
    const version = versions.next().toString();
    const requestId = uuidv7({ msecs: Date.now() - ago });
    const identity = { requestId, account: 'acme', family: 'cost' } as const;
    return uploaded({ ...identity, version, sentMax: version, bytes: 7 }, Date.now() - ago);
  };
  const [old, young] = [made(retentionMs + 1_000), made(retentionMs - 60_000)];
  await publish(old, young);
  const reader = await startGateway(LARGE_VIEW, retentionMs);
  expect(await statusOf(reader, young)).toBe('uploaded');
  expect(await statusOf(reader, old)).toBe('unknown');
  expect(await reader.find(old.requestId.toUpperCase())).toBe('unknown');
  await log.close();
  isAway = true;
  const asked = lookUps;
  expect(await statusOf(reader, old)).toBe('unknown');
  expect(await statusOf(reader, made(retentionMs - 60_000))).toBe('unavailable');
  // The time of another UUID is not known.
  expect(await statusOf(reader, { ...old, requestId: randomUUID() })).toBe('unavailable');
  expect(lookUps).toBe(asked);
});

const silence = (): Promise<never> => new Promise(() => undefined);

test.each([
  ['history', () => (meanwhile = silence)],
  ['log', () => (log.endOffsets = silence)],
  ["log about the history's offsets", () => (log.committedOffsets = silence)],
])('a %s that does not answer is waited for no longer than the timeout', async (_, silent) => {
  const all = life('validated');
  await publish(...all);
  await writeHistory(all.at(-1)!);
  const reader = await startGateway(2_500);
  for (let i = 0; i < 10; i++) await publish(...life('uploaded'));
  await reader.caughtUp();
  silent();
  const begun = performance.now();
  expect(await reader.find(all[0]!.requestId)).toBe('unavailable');
  expect(performance.now() - begun).toBeLessThan(1_500);
});

test('a read waits for the timeout once, also where the log is late and the history silent', async () => {
  const all = life('validated');
  await publish(...all);
  await writeHistory(all.at(-1)!);
  const reader = await startGateway();
  const endOffsets = log.endOffsets.bind(log);
  log.endOffsets = async (topic) => {
    await new Promise((resolve) => setTimeout(resolve, 800));
    return endOffsets(topic);
  };
  meanwhile = silence;
  const begun = performance.now();
  expect(await reader.find(all[0]!.requestId)).toBe('unavailable');
  expect(lookUps).toBe(1);
  expect(performance.now() - begun).toBeLessThan(1_500);
});
