import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';

import { type ConsumedPartition, EndWatch } from '../../../../src/ingest/assemble/end-watch.js';
import { LogUnavailableError, type UploadLog } from '../../../../src/log/upload-log.js';

const EVERY_MS = 1_000;

let watch: EndWatch;
let end: () => Promise<number>;
let asked: number;
let failures: unknown[];
/** The ends that the assembler has received. */
let told: (number | undefined)[];
let commits: number;

beforeEach(() => {
  jest.useFakeTimers();
  [asked, commits, failures, told] = [0, 0, [], []];
  end = () => Promise.resolve(7);
  const log = {
    endOffset: (_topic, partition) => {
      asked++;
      return partition === 1 ? end() : new Promise(() => undefined);
    },
  } as Partial<UploadLog> as UploadLog;
  const assembler = {
    hasOpenUploads: true,
    lookAtEnd: (end: number | undefined) => {
      told.push(end);
      return Promise.resolve();
    },
  };
  const owned = { commitSoon: () => commits++ };
  assignments = new Map([[1, { assembler, owned } as unknown as ConsumedPartition]]);
  watch = new EndWatch(log, assignments, EVERY_MS, (error) => failures.push(error));
});
let assignments: Map<number, ConsumedPartition>;
afterEach(() => {
  watch.stop();
  jest.useRealTimers();
});

test('tells each assembler regularly where its partition ends, and commits what that frees', async () => {
  await jest.advanceTimersByTimeAsync(2 * EVERY_MS);
  expect(told).toEqual([7, 7]);
  expect(commits).toBe(2);
});

test('waits for no partition that has no leader', async () => {
  assignments.set(0, assignments.get(1)!);
  await jest.advanceTimersByTimeAsync(3 * EVERY_MS);
  expect(told).toEqual([7, undefined, 7, undefined, 7]);
});

test('asks nothing of the log while no upload is open', async () => {
  (assignments.get(1)!.assembler as { hasOpenUploads: boolean }).hasOpenUploads = false;
  await jest.advanceTimersByTimeAsync(5 * EVERY_MS);
  expect(asked).toBe(0);
});

test('tells when the log does not answer, and goes on', async () => {
  end = () => Promise.reject(new LogUnavailableError('away'));
  await jest.advanceTimersByTimeAsync(EVERY_MS);
  end = () => Promise.resolve(7);
  await jest.advanceTimersByTimeAsync(EVERY_MS);
  expect(told).toEqual([undefined, 7]);
  expect(failures).toEqual([]);
});

test('reports any other failure', async () => {
  const failure = new TypeError('a mistake');
  end = () => Promise.reject(failure);
  await jest.advanceTimersByTimeAsync(EVERY_MS);
  expect(failures).toEqual([failure]);
});

test('does not count the time in which the process was halted', async () => {
  await jest.advanceTimersByTimeAsync(EVERY_MS);
  const halted = performance.now() + 60_000;
  const now = jest.spyOn(performance, 'now').mockReturnValue(halted);
  await jest.advanceTimersByTimeAsync(EVERY_MS);
  now.mockReturnValue(halted + EVERY_MS);
  await jest.advanceTimersByTimeAsync(EVERY_MS);
  now.mockRestore();
  expect(told).toEqual([7, undefined, 7]);
});
