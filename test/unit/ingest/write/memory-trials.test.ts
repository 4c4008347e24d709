import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';

import type { ValidUpload } from '../../../../src/ingest/upload-in-flight.js';
import { MemoryTrials, type NotStored } from '../../../../src/ingest/write/memory-trials.js';
import { createLogger } from '../../../../src/ops/logger.js';
import type { InsertSize } from '../../../../src/warehouse/row-store.js';
import { WarehouseError } from '../../../../src/warehouse/warehouse.js';

const MINUTE = 60_000;
const SHORT = new WarehouseError('memory limit exceeded', 'memory', 241);

/** The trials use only the name of an upload. */
const short = (requestId: string, bytes = 1): [ValidUpload, InsertSize] => [
  { requestId, account: 'acme' } as ValidUpload,
  { account: 'acme', keys: 1, bytes },
];

const aborting = new AbortController();
beforeEach(() => {
  jest.useFakeTimers();
  // Makes each pause as long as it can be.
  jest.spyOn(Math, 'random').mockReturnValue(1);
});
afterEach(() => {
  jest.useRealTimers();
  jest.restoreAllMocks();
});

test('one that comes as the last one is stored is tried as often as any other', async () => {
  const tried: string[] = [];
  const trials = new MemoryTrials(
    {
      probe: () => Promise.resolve(true),
      tryOnce({ requestId }) {
        tried.push(requestId);
        return Promise.resolve(requestId === 'first' ? undefined : SHORT);
      },
    },
    createLogger('silent'),
    aborting.signal,
  );
  void trials.settle(...short('first')).then(() => trials.settle(...short('second')));
  // The pauses are 1, 1, 2 and 4 seconds.
  await jest.advanceTimersByTimeAsync(8_500);
  expect(tried).toEqual(['first', 'second', 'second', 'second']);
});

test('what one of them throws is told to all that wait', async () => {
  const trials = new MemoryTrials(
    {
      probe: () => Promise.resolve(true),
      tryOnce: ({ requestId }) =>
        requestId === 'first'
          ? Promise.resolve(undefined)
          : Promise.reject(new RangeError(requestId)),
    },
    createLogger('silent'),
    aborting.signal,
  );
  const outcomes = Promise.allSettled(
    ['first', 'second', 'third'].map((id, index) => trials.settle(...short(id, index))),
  );
  await jest.advanceTimersByTimeAsync(5_000);
  const reason = new RangeError('second');
  expect(await outcomes).toEqual([
    { status: 'fulfilled', value: undefined },
    { status: 'rejected', reason },
    { status: 'rejected', reason },
  ]);
});

test('the smallest is tried first, and behind one that has no memory none', async () => {
  const tried: string[] = [];
  let memory = 5;
  const trials = new MemoryTrials(
    {
      probe: ({ bytes }) => Promise.resolve(bytes <= memory),
      tryOnce({ requestId }) {
        tried.push(requestId);
        return Promise.resolve(Number(requestId) <= memory ? undefined : SHORT);
      },
    },
    createLogger('silent'),
    aborting.signal,
  );
  const stored: number[] = [];
  for (const bytes of [9, 3, 7, 1]) {
    void trials.settle(...short(String(bytes), bytes)).then(() => stored.push(bytes));
  }
  await jest.advanceTimersByTimeAsync(1_000);
  expect(tried).toEqual(['1', '3', '7']);
  memory = 8;
  await jest.advanceTimersByTimeAsync(1_000);
  expect(stored).toEqual([1, 3, 7]);
  expect(tried.slice(3)).toEqual(['7', '9']);
});

test('one that fails alone is set aside when it has failed five times, not sooner', async () => {
  let failures = 0;
  const trials = new MemoryTrials(
    {
      probe: () => Promise.resolve(true),
      // So slow that a few failures take longer than an upload is tried for at least.
      async tryOnce() {
        await new Promise((resolve) => setTimeout(resolve, 4 * MINUTE));
        failures++;
        return SHORT;
      },
    },
    createLogger('silent'),
    aborting.signal,
  );
  let outcome: NotStored | undefined;
  void trials.settle(...short('large')).then((found) => (outcome = found));
  // The first failure was 13 minutes ago.
  await jest.advanceTimersByTimeAsync(17 * MINUTE);
  expect([failures, outcome]).toEqual([4, undefined]);
  await jest.advanceTimersByTimeAsync(4 * MINUTE);
  expect([failures, outcome]).toEqual([5, SHORT]);
});
