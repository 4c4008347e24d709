import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';

import { type ConsumedPartition, EndWatch } from '../../../../src/ingest/assemble/end-watch.js';
import { LogUnavailableError, type UploadLog } from '../../../../src/log/upload-log.js';

const EVERY_MS = 1_000;

let watch: EndWatch;
let ends: () => Promise<readonly number[]>;
let asked: number;
let failures: unknown[];
/** The ends that the assembler of partition 1 has received. */
let told: (number | undefined)[];
let commits: number;

beforeEach(() => {
  jest.useFakeTimers();
  [asked, commits, failures, told] = [0, 0, [], []];
  ends = () => Promise.resolve([5, 7]);
  const log = {
    endOffsets: () => {
      asked++;
      return ends();
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

test('asks nothing of the log while no upload is open', async () => {
  (assignments.get(1)!.assembler as { hasOpenUploads: boolean }).hasOpenUploads = false;
  await jest.advanceTimersByTimeAsync(5 * EVERY_MS);
  expect(asked).toBe(0);
});

test('tells when the log does not answer, and goes on', async () => {
  ends = () => Promise.reject(new LogUnavailableError('away'));
  await jest.advanceTimersByTimeAsync(EVERY_MS);
  ends = () => Promise.resolve([5, 7]);
  await jest.advanceTimersByTimeAsync(EVERY_MS);
  expect(told).toEqual([undefined, 7]);
  expect(failures).toEqual([]);
});

test('reports any other failure', async () => {
  const failure = new TypeError('a mistake');
  ends = () => Promise.reject(failure);
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
