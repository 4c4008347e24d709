import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';

import { Backoff, retrying } from '../../../src/domain/retry.js';

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

/** Fails `failures` times, then answers. `calls` has the times of the calls. */
function flaky(failures: number): { attempt: () => Promise<string>; calls: number[] } {
  const calls: number[] = [];
  const start = Date.now();
  const attempt = (): Promise<string> => {
    calls.push(Date.now() - start);
    return calls.length <= failures
      ? Promise.reject(new Error('not yet'))
      : Promise.resolve('done');
  };
  return { attempt, calls };
}

const never = new AbortController().signal;

test('what succeeds at once is called once', async () => {
  const { attempt, calls } = flaky(0);
  await expect(retrying(attempt, () => true, never)).resolves.toBe('done');
  expect(calls).toEqual([0]);
});

test('pauses double from 50 ms to 5 s, and half of each is random', async () => {
  const { attempt, calls } = flaky(10);
  const result = retrying(attempt, () => true, never);
  await jest.advanceTimersByTimeAsync(60_000);
  await expect(result).resolves.toBe('done');
  const pauses = calls.slice(1).map((at, i) => at - calls[i]!);
  const longest = [50, 100, 200, 400, 800, 1_600, 3_200, 5_000, 5_000, 5_000];
  expect(pauses.filter((pause, i) => pause < longest[i]! / 2 - 1 || pause > longest[i]!)).toEqual(
    [],
  );
  expect(new Set(pauses.slice(-3)).size).toBeGreaterThan(1);
});

test('an error that waiting does not mend is thrown at once', async () => {
  const { attempt, calls } = flaky(5);
  await expect(retrying(attempt, () => false, never)).rejects.toThrow('not yet');
  expect(calls).toHaveLength(1);
});

test('each error is asked about once', async () => {
  const { attempt } = flaky(3);
  let asked = 0;
  const result = retrying(
    attempt,
    () => {
      asked++;
      return true;
    },
    never,
  );
  await jest.advanceTimersByTimeAsync(1_000);
  await result;
  expect(asked).toBe(3);
});

test('an abort ends the pause, and the last error is thrown', async () => {
  const { attempt, calls } = flaky(Infinity);
  const aborting = new AbortController();
  const result = retrying(attempt, () => true, aborting.signal);
  const outcome = expect(result).rejects.toThrow('not yet');
  await jest.advanceTimersByTimeAsync(10);
  aborting.abort();
  await outcome;
  expect(calls.at(-1)).toBe(10);
  expect(jest.getTimerCount()).toBe(0);
});

test('after a success pauses begin with the first again', () => {
  const backoff = new Backoff(100, 1_000);
  for (let i = 0; i < 10; i++) backoff.next();
  backoff.reset();
  expect(backoff.next()).toBeLessThanOrEqual(100);
});
