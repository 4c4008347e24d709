import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { whenStopped } from '../../../src/query/engine-query.js';

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  expect(jest.getTimerCount()).toBe(0);
  jest.useRealTimers();
});

test('a statement is stopped at once, and again, less and less often, until it has ended', async () => {
  const stopping = new AbortController();
  let stops = 0;
  const { end } = whenStopped(stopping.signal, () => {
    stops++;
    throw new Error('the engine does not know the statement');
  });
  expect(stops).toBe(0);
  stopping.abort();
  expect(stops).toBe(1);
  await jest.advanceTimersByTimeAsync(1_000);
  expect(stops).toBeGreaterThan(3);
  await jest.advanceTimersByTimeAsync(600_000);
  expect(stops).toBeLessThan(600_000 / 2_000);
  end();
  const last = stops;
  await jest.advanceTimersByTimeAsync(10_000);
  expect(stops).toBe(last);
});

test('a statement that ends by itself is not stopped', () => {
  const stopping = new AbortController();
  const kill = jest.fn();
  whenStopped(stopping.signal, kill).end();
  stopping.abort();
  expect(kill).not.toHaveBeenCalled();
});
