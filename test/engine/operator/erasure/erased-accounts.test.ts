import { CONSUMER_GROUPS } from '../../../../src/log/upload-log.js';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';

import { coversRequest, type ErasedUploads } from '../../../../src/domain/erased-uploads.js';
import { lastVersionAt, timeOfVersion } from '../../../../src/domain/version.js';
import {
  erasureOf,
  erasureRecord,
  orderErasure,
} from '../../../../src/operator/erasure/account-erasure.js';
import { v7 as uuidv7 } from 'uuid';
import { ErasedAccounts } from '../../../../src/operator/erasure/erased-accounts.js';
import { SqlRowStore } from '../../../../src/warehouse/rows/sql-row-store.js';
import { openTestWarehouse, type TestWarehouse } from '../../../support/chdb/warehouse.js';
import { Collector, LogFolders, readAll } from '../../../support/log/log-folders.js';
import { until } from '../../../support/until.js';

const folders = new LogFolders();
let opened: TestWarehouse;
beforeAll(async () => {
  opened = await openTestWarehouse();
});
afterEach(() => folders.cleanUp());
afterAll(() => opened.close());

const LIMITS = { uploadDeadlineMs: 60_000, logTimeoutMs: 10_000 };
const NOW = 1_795_240_000_000;

test('an order covers what is uploaded until the uploads under way have ended, and no more', () => {
  const { version } = orderErasure('acme', 'operator:me', NOW, 0n, LIMITS);
  const until = timeOfVersion(version);
  expect(until).toBeGreaterThanOrEqual(NOW + 60_000 + 2 * 10_000);
  expect(until).toBeLessThan(NOW + 120_000);
  expect(timeOfVersion(version + 1n)).toBe(until + 1);
  const erased: ErasedUploads = { covers: (of, upTo) => of === 'acme' && upTo <= version };
  const begunAt = (time: number): string => uuidv7({ msecs: time });
  expect(coversRequest(erased, 'acme', begunAt(until))).toBe(true);
  expect(coversRequest(erased, 'acme', begunAt(until + 1))).toBe(false);
  expect(coversRequest(erased, 'other', begunAt(until))).toBe(false);
});

test('an order covers what gateways accepted whose clocks are ahead', () => {
  const newest = lastVersionAt(NOW + 300_000);
  const { version, at } = orderErasure('acme', 'operator:me', NOW, newest, LIMITS);
  expect(at).toBe(NOW);
  expect(timeOfVersion(version)).toBeGreaterThanOrEqual(NOW + 300_000 + 60_000 + 2 * 10_000);
});

test('an order is read from the log as it was given', async () => {
  const log = await folders.open();
  const order = orderErasure('acme', 'operator:me', NOW, 0n, LIMITS);
  await log.append('control', [erasureRecord(order)]);
  expect((await readAll(log, 'control')).map(erasureOf)).toEqual([order]);
});

test('an erasure is known that is carried out, when the tables are of a backup from before it', async () => {
  const rows = new SqlRowStore(opened.warehouse, opened.database);
  const log = await folders.open();
  const erasure = orderErasure('restored', 'operator:me', NOW, 0n, LIMITS);
  await log.append('control', [erasureRecord(erasure)]);
  const consumption = await log.consume('control', CONSUMER_GROUPS.erasure.group, new Collector());
  await consumption.commit(0, 1);
  const erased = await ErasedAccounts.follow(log, rows, 5_000);
  expect(erased.covers('restored', erasure.version)).toBe(true);
  await erased.stop();
});

test('erasures are known from the table, from the log, and as they are ordered', async () => {
  const rows = new SqlRowStore(opened.warehouse, opened.database);
  const log = await folders.open();
  const erasure = (account: string, now: number) =>
    orderErasure(account, 'operator:me', now, 0n, LIMITS);
  const append = (account: string, now = NOW) =>
    log.append('control', [erasureRecord(erasure(account, now))]);
  await append('kept');
  await append('ordered');
  const consumption = await log.consume('control', CONSUMER_GROUPS.erasure.group, new Collector());
  await rows.writeErasure(erasure('kept', NOW));
  await rows.writeErasure(erasure('kept', NOW - 5_000));
  await consumption.commit(0, 1);

  const erased = await ErasedAccounts.follow(log, rows, 5_000);
  const { version } = erasure('kept', NOW);
  for (const account of ['kept', 'ordered']) {
    expect(erased.covers(account, version)).toBe(true);
    expect(erased.covers(account, version + 1n)).toBe(false);
  }
  expect(erased.covers('new', version)).toBe(false);
  await append('new');
  await until(() => erased.covers('new', version));
  // The account is erased a second time. A late record of the first erasure changes nothing.
  await append('new', NOW + 1_000);
  await until(() => erased.covers('new', version + 1n));
  await append('new');
  await append('last');
  await until(() => erased.covers('last', version));
  expect(erased.covers('new', version + 1n)).toBe(true);
  await erased.stop();

  const inLog = await ErasedAccounts.inLog(log);
  expect(inLog.covers('kept', version)).toBe(true);
  expect(inLog.covers('other', 0n)).toBe(false);
});
