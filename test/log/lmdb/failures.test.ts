import { EventEmitter, once } from 'node:events';
import { setImmediate } from 'node:timers/promises';

import { afterEach, expect, jest, test } from '@jest/globals';
import { LogStore } from '../../../src/log/lmdb/log-store.js';
import { type Consumption, LogUnavailableError } from '../../../src/log/upload-log.js';
import { LogFolders, readAll, record } from '../helpers/log-folders.js';

const folders = new LogFolders();
afterEach(async () => {
  jest.restoreAllMocks();
  await folders.cleanUp();
});

/** As LMDB's library rejects what a failed transaction was to write. */
function failedTransaction(commitError: Promise<never>): Error {
  commitError.catch(() => undefined);
  return Object.assign(new Error('Commit failed (see commitError for details)'), { commitError });
}

function nextTransactionFails(commitError: Promise<never>): void {
  jest
    .spyOn(LogStore.prototype, 'writeAfter')
    .mockImplementationOnce(() => Promise.reject(failedTransaction(commitError)));
}

const forEver = new Promise<never>(() => undefined);

test('while one transaction is synced the next is written, and no third is handed over', async () => {
  const log = await folders.open();
  const write = Object.getOwnPropertyDescriptor(LogStore.prototype, 'writeAfter')!
    .value as LogStore['writeAfter'];
  let underWay = 0;
  let most = 0;
  jest.spyOn(LogStore.prototype, 'writeAfter').mockImplementation(async function (
    this: LogStore,
    ...group: Parameters<LogStore['writeAfter']>
  ) {
    most = Math.max(most, ++underWay);
    try {
      return await write.apply(this, group);
    } finally {
      underWay--;
    }
  });
  const chunk = Buffer.alloc(128 * 1024, 'x');
  const appends: Promise<unknown>[] = [];
  for (let i = 0; i < 300; i++) {
    appends.push(log.append('uploads', [record(chunk)]));
    if (i % 3 === 0) await setImmediate();
  }
  await Promise.all(appends);
  expect(most).toBe(2);
  expect(await readAll(log, 'uploads')).toHaveLength(300);
});

test('a failed transaction whose cause is never told is refused, and the log goes on', async () => {
  const log = await folders.open();
  nextTransactionFails(forEver);
  await expect(log.append('uploads', [record('a')])).rejects.toThrow(LogUnavailableError);
  expect(await log.append('uploads', [record('b')])).toEqual([{ partition: 0, offset: 0 }]);
  await log.close();
});

test('the message of a failed transaction names the cause', async () => {
  const log = await folders.open();
  const cause = Promise.reject(new Error('No space left on device'));
  nextTransactionFails(cause);
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
  nextTransactionFails(forEver);
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
