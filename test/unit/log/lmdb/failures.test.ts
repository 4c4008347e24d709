import { EventEmitter, once } from 'node:events';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';

import { afterEach, expect, jest, test } from '@jest/globals';
import type { Database, RootDatabase } from 'lmdb';
import type { Head } from '../../../../src/log/lmdb/head.js';
import type { LmdbLog } from '../../../../src/log/lmdb/lmdb-log.js';
import { LogStore } from '../../../../src/log/lmdb/log-store.js';
import {
  type Consumption,
  LogUnavailableError,
  type RecordPosition,
} from '../../../../src/log/upload-log.js';
import { LogFolders, readAll, record } from '../../../support/log/log-folders.js';

const folders = new LogFolders();
afterEach(async () => {
  jest.restoreAllMocks();
  await folders.cleanUp();
});

/** Returns the error with which the LMDB library rejects the writes of a failed transaction. */
function failedTransaction(commitError: Promise<never>): Error {
  commitError.catch(() => undefined);
  return Object.assign(new Error('Commit failed (see commitError for details)'), { commitError });
}

function nextTransactionFails(log: LmdbLog, commitError: Promise<never>): void {
  jest
    .spyOn(headOf(log), 'ifVersion')
    .mockImplementationOnce(() => Promise.reject(failedTransaction(commitError)));
}

function headOf(log: LmdbLog): Database<Head, 'head'> {
  return (log as unknown as { store: { head: Database<Head, 'head'> } }).store.head;
}

/** Closes LMDB itself, which still works and which a failed log leaves open. */
async function closeStill(log: LmdbLog): Promise<void> {
  await (log as unknown as { store: { root: RootDatabase } }).store.root.close();
}

const MIB = 1024 * 1024;
const forEver = new Promise<never>(() => undefined);

test('groups are handed over while others are under way, up to 16 MiB', async () => {
  const log = await folders.open();
  const write = Object.getOwnPropertyDescriptor(LogStore.prototype, 'writeAfter')!
    .value as LogStore['writeAfter'];
  let handedOver = 0;
  let goOn = (): void => undefined;
  const held = new Promise<void>((resolve) => (goOn = resolve));
  jest.spyOn(LogStore.prototype, 'writeAfter').mockImplementation(async function (
    this: LogStore,
    ...group: Parameters<LogStore['writeAfter']>
  ) {
    handedOver++;
    const written = write.apply(this, group);
    await held;
    return written;
  });
  const chunk = Buffer.alloc(64 * 1024, 'x');
  const appends: Promise<readonly RecordPosition[]>[] = [];
  for (let i = 0; i < 300; i++) {
    appends.push(log.append('uploads', [record(chunk)]));
    await setImmediate();
  }
  // The first group has one chunk, the next ones have four each, the last one has three.
  expect(handedOver).toBe(1 + (16 * 16) / 4);
  goOn();
  const positions = (await Promise.all(appends)).flat();
  expect(positions.map(({ offset }) => offset)).toEqual(positions.map((_, i) => i));
  expect(await readAll(log, 'uploads')).toHaveLength(300);
});

test('a failed transaction whose cause is never told is refused, and the log goes on', async () => {
  const log = await folders.open();
  nextTransactionFails(log, forEver);
  await expect(log.append('uploads', [record('a')])).rejects.toThrow(LogUnavailableError);
  expect(await log.append('uploads', [record('b')])).toEqual([{ partition: 0, offset: 0 }]);
  await log.close();
});

test('the message of a failed transaction names the cause', async () => {
  const log = await folders.open();
  const cause = Promise.reject(new Error('No space left on device'));
  nextTransactionFails(log, cause);
  await expect(log.append('uploads', [record('a')])).rejects.toThrow('No space left on device');
});

test('a watermark that the log does not take is committed again', async () => {
  const log = await folders.open();
  await log.append('uploads', [record('a')]);
  const consumption = await log.consume('uploads', 'group', {
    assigned: () => undefined,
    revoked: () => undefined,
    records: () => Promise.resolve(),
  });
  nextTransactionFails(log, forEver);
  await consumption.commit(0, 1);
  expect(await log.committedOffsets('uploads', 'group')).toEqual([1]);
});

test('a consumption stops although the log takes none of its watermarks', async () => {
  const log = await folders.open();
  await log.append('uploads', [record('a')]);
  const handled = new EventEmitter();
  const consumption: Consumption = await log.consume('uploads', 'group', {
    assigned: () => undefined,
    revoked: () => undefined,
    records: async () => {
      jest.spyOn(LogStore.prototype, 'writeAfter').mockImplementation(() => {
        handled.emit('refused');
        return Promise.reject(failedTransaction(forEver));
      });
      await consumption.commit(0, 1).catch(() => undefined);
    },
  });
  await once(handled, 'refused');
  await consumption.stop();
  expect(await log.committedOffsets('uploads', 'group')).toEqual([0]);
});

test('a log that can be neither written nor read any more says so', async () => {
  const log = await folders.open();
  jest.spyOn(headOf(log), 'getEntry').mockImplementationOnce(() => {
    throw new Error('Invalid argument: MDB_PANIC: Update of meta page failed');
  });
  await expect(log.endOffsets('uploads')).rejects.toThrow(LogUnavailableError);
  await expect(log.failed).rejects.toThrow('LMDB can neither write nor read any more');
  await closeStill(log);
});

test('the last of the disk is not given to records, but to watermarks and deletions', async () => {
  let freeBytes = 64 * 1024 * 1024 + 1;
  let now = 0;
  const log = await folders.open({ freeBytes: () => freeBytes, retentionMs: 1, now: () => now });
  await log.append('uploads', [record('a')]);
  freeBytes--;
  await sleep(20);
  await expect(log.append('uploads', [record('b')])).rejects.toThrow(/last 64 MiB of the disk/);
  await log.rewind('uploads', 'group', [1]);
  now = 10;
  expect(await log.deleteExpired()).toBe(1);
  freeBytes++;
  await sleep(20);
  expect(await log.append('uploads', [record('b')])).toEqual([{ partition: 0, offset: 1 }]);
});

test('a log that has filled its disk goes on in the pages that deletions leave', async () => {
  const dir = await folders.folder();
  let now = 0;
  const options = { dir, retentionMs: 1, now: () => now };
  const freeBytes = (): number => 160 * MIB - statSync(join(dir, 'data.mdb')).size;
  const log = await folders.open({ ...options, freeBytes });
  const chunk = record(Buffer.alloc(MIB));
  const fill = async (): Promise<number> => {
    for (let appends = 0; ; appends++) {
      try {
        await log.append('uploads', [chunk]);
      } catch (error) {
        expect(error).toHaveProperty('message', expect.stringContaining('the last 64 MiB'));
        return appends;
      }
      // The log counts some appends beside the disk's last answer.
      if (appends % 4 === 3) await sleep(11);
    }
  };
  const first = await fill();
  expect(first).toBeGreaterThan(80);
  const empty = async (): Promise<void> => {
    now += 10;
    await log.rewind('uploads', 'group', await log.endOffsets('uploads'));
    await log.deleteExpired();
    await sleep(11);
  };
  await empty();
  expect(await fill()).toBeGreaterThan(20);
  expect(freeBytes()).toBeGreaterThanOrEqual(32 * MIB);
  await empty();
  expect(await fill()).toBeGreaterThan(20);
});

test.each([
  ['failed and is rejected', false, () => Promise.reject(failedTransaction(forEver))],
  ['failed and is called written', false, () => Promise.resolve(true)],
  ['was written and is rejected', true, () => Promise.reject(failedTransaction(forEver))],
])('what counts of a group that %s is the log', async (_, isWritten, told) => {
  const log = await folders.open();
  const head = headOf(log);
  const write = head.ifVersion.bind(head);
  let groups = 0;
  let secondIsTold = (): void => undefined;
  const second = new Promise<void>((resolve) => (secondIsTold = resolve));
  jest.spyOn(head, 'ifVersion').mockImplementation(async (key, version, puts) => {
    const group = ++groups;
    const written = write(key, group === 2 && !isWritten ? version + 1 : version, puts);
    if (group === 1) await second;
    if (group !== 2) return written;
    await written;
    secondIsTold();
    return told();
  });
  const appends = Array.from({ length: 60 }, async (_, i) => {
    for (let turn = 0; turn < i; turn++) await setImmediate();
    return log.append('uploads', [record(Buffer.alloc(64 * 1024, String(i)))]);
  });
  const results = await Promise.allSettled(appends);
  // The first group has one chunk, the next ones have four each.
  const refused = results.flatMap(({ status }, i) => (status === 'rejected' ? [i] : []));
  expect(refused).toEqual(isWritten ? [] : [1, 2, 3, 4]);
  const taken = results.flatMap((result, i) =>
    result.status === 'fulfilled' ? [{ i, offset: result.value[0]!.offset }] : [],
  );
  expect(taken.map(({ offset }) => offset)).toEqual(taken.map((_, offset) => offset));
  const kept = await readAll(log, 'uploads');
  expect(kept.map(({ value }) => value.toString('latin1', 0, 2))).toEqual(
    taken.map(({ i }) => String(i).repeat(2).slice(0, 2)),
  );
});

test('a log that can do nothing any more answers what is under way, and closes', async () => {
  const log = await folders.open();
  const head = headOf(log);
  jest.spyOn(head, 'ifVersion').mockImplementation(() => forEver);
  const underWay = log.append('uploads', [record('a')]);
  await setImmediate();
  const behind = log.append('uploads', [record('b')]);
  jest.spyOn(head, 'getEntry').mockImplementationOnce(() => {
    throw new Error('Invalid argument: MDB_PANIC: Update of meta page failed');
  });
  await expect(log.endOffsets('uploads')).rejects.toThrow(LogUnavailableError);
  for (const append of [underWay, behind, log.append('uploads', [record('c')])]) {
    await expect(append).rejects.toThrow(LogUnavailableError);
  }
  await log.close();
  await closeStill(log);
});
