import { afterEach, expect, test } from '@jest/globals';

import { startApplier } from '../../../src/log/record-applier.js';
import type { LogRecord } from '../../../src/log/upload-log.js';
import { LogFolders, record, texts } from '../../support/log/log-folders.js';
import { until } from '../../support/until.js';

const folders = new LogFolders();
afterEach(() => folders.cleanUp());

class AwayError extends Error {}

const application = (
  apply: (records: readonly LogRecord[], signal: AbortSignal) => Promise<void>,
) =>
  ({
    topic: 'control',
    group: 'test',
    apply,
    isPassing: (error: unknown) => error instanceof AwayError,
  }) as const;

test('applies a batch again until that succeeds, and commits only then', async () => {
  const log = await folders.open();
  await log.append('control', [record('a'), record('b')]);
  const calls: string[][] = [];
  const committed: (readonly number[])[] = [];
  const applier = await startApplier(
    log,
    application(async (records) => {
      calls.push(texts(records));
      committed.push(await log.committedOffsets('control', 'test'));
      if (calls.length < 3) throw new AwayError();
    }),
  );
  while ((await log.committedOffsets('control', 'test'))[0] !== 2) {
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  expect(calls).toEqual(Array(3).fill(['a', 'b']));
  expect(committed).toEqual(Array(3).fill([0]));
  await applier.stop();
});

test('an error that waiting does not fix ends it, and the next one applies the batch again', async () => {
  const log = await folders.open();
  await log.append('control', [record('a')]);
  const broken = await startApplier(
    log,
    application(() => Promise.reject(new Error('broken'))),
  );
  await expect(broken.failed).rejects.toThrow('broken');
  await broken.stop();
  const seen: LogRecord[] = [];
  const next = await startApplier(
    log,
    application((records) => {
      seen.push(...records);
      return Promise.resolve();
    }),
  );
  await until(() => seen.length === 1);
  await next.stop();
});

test('stops amid a batch that waits, without a commit', async () => {
  const log = await folders.open();
  await log.append('control', [record('a')]);
  let isWaiting = false;
  const applier = await startApplier(
    log,
    application((_, signal) => {
      isWaiting = true;
      return new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          reject(new AwayError());
        });
      });
    }),
  );
  await until(() => isWaiting);
  await applier.stop();
  expect(await log.committedOffsets('control', 'test')).toEqual([0]);
});

test('after a batch that failed for good nothing is applied or committed any more', async () => {
  const log = await folders.open();
  await log.append('control', [record('a')]);
  let calls = 0;
  const applier = await startApplier(
    log,
    application(() => (++calls === 1 ? Promise.reject(new Error('broken')) : Promise.resolve())),
  );
  await expect(applier.failed).rejects.toThrow('broken');
  await log.append('control', [record('b')]);
  await applier.stop();
  expect(calls).toBe(1);
  expect(await log.committedOffsets('control', 'test')).toEqual([0]);
});
