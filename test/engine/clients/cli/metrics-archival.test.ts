import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { logFolder } from '../../../../src/config/data-folder.js';
import { LmdbLog } from '../../../../src/log/lmdb/lmdb-log.js';
import type { LogRecord } from '../../../../src/log/upload-log.js';
import { outcomeOf } from '../../../support/service/outcome.js';

let DATA_DIR: string;

beforeEach(async () => {
  DATA_DIR = await mkdtemp(join(tmpdir(), 'cli-archival-'));
});

afterEach(async () => {
  await rm(DATA_DIR, { recursive: true });
});

async function withLog<T>(work: (log: LmdbLog) => Promise<T>): Promise<T> {
  const log = LmdbLog.open({ dir: logFolder(DATA_DIR), retentionMs: 60_000, timeoutMs: 5_000 });
  try {
    return await work(log);
  } finally {
    await log.close();
  }
}

const controlRecords = (): Promise<LogRecord[]> =>
  withLog(async (log) => {
    const [end = 0] = await log.endOffsets('control');
    const records: LogRecord[] = [];
    for await (const batch of log.read('control', 0, 0, end)) records.push(...batch);
    return records;
  });

test('archiving and restoring append an order to the control topic', async () => {
  await withLog(() => Promise.resolve());
  const before = Date.now();
  const archive = await outcomeOf({ DATA_DIR }, 'metrics', 'archive', 'signups', '--account=acme');
  const restore = await outcomeOf({ DATA_DIR }, 'metrics', 'restore', 'signups', '--account=acme');
  expect([archive.code, archive.out, restore.code, restore.out]).toEqual([0, '', 0, '']);
  expect(archive.err).toContain('signups of acme is archived');

  const records = await controlRecords();
  expect(records.map(({ headers, key }) => [headers, key])).toEqual([
    [{ type: 'metric-archival', format: '1' }, 'acme/signups'],
    [{ type: 'metric-archival', format: '1' }, 'acme/signups'],
  ]);
  const orders = records.map(({ value }) => JSON.parse(value.toString()) as { at: string });
  const actor = `operator:${userInfo().username}`;
  expect(orders).toEqual([
    { action: 'archive-metric', account: 'acme', name: 'signups', actor, at: orders[0]?.at },
    { action: 'restore-metric', account: 'acme', name: 'signups', actor, at: orders[1]?.at },
  ]);
  for (const { at } of orders) expect(Date.parse(at)).toBeGreaterThanOrEqual(before);
});

test('a data folder without a log is not given one', async () => {
  const { code, err } = await outcomeOf({ DATA_DIR }, 'metrics', 'archive', 'x', '--account=acme');
  expect([code, err]).toEqual([
    1,
    `error: DATA_DIR ${DATA_DIR} has no log; the service has not run on it yet\n`,
  ]);
  expect(existsSync(logFolder(DATA_DIR))).toBe(false);
});

test.each([
  [['archive', 'sign-ups', '--account=acme'], "'sign-ups' is invalid for argument 'name'"],
  [['archive', 'signups'], "'--account <name>' not specified"],
  [['restore', '--account=acme'], "missing required argument 'name'"],
])('%j is not understood', async (args, message) => {
  const { code, err } = await outcomeOf({ DATA_DIR }, 'metrics', ...args);
  expect(code).toBe(2);
  expect(err).toContain(message);
});
