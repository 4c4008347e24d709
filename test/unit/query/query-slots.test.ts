import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';

import { QuerySlots } from '../../../src/query/query-slots.js';

const never = new AbortController().signal;
let slots: QuerySlots;

beforeEach(async () => {
  jest.useFakeTimers();
  slots = new QuerySlots(1);
  await slots.enter(never);
});
afterEach(() => {
  expect(jest.getTimerCount()).toBe(0);
  jest.useRealTimers();
});

test('turns pass in the order of the line', async () => {
  const order: string[] = [];
  const second = slots.enter(never).then(() => {
    order.push('second');
    slots.leave();
  });
  const third = slots.enter(never).then(() => {
    order.push('third');
    slots.leave();
  });
  slots.leave();
  await Promise.all([second, third]);
  expect(order).toEqual(['second', 'third']);
  await slots.enter(never);
  slots.leave();
});

test('a query whose client has gone gives up its place', async () => {
  const gone = new AbortController();
  const cancelled = expect(slots.enter(gone.signal)).rejects.toThrow('Query was cancelled.');
  const next = slots.enter(never);
  gone.abort();
  await cancelled;
  slots.leave();
  await next;
  slots.leave();
});

test('no query waits for longer than ten seconds', async () => {
  const refused = expect(slots.enter(never)).rejects.toThrow(
    'Too many simultaneous queries. Maximum: 1.',
  );
  await jest.advanceTimersByTimeAsync(10_000);
  await refused;
  slots.leave();
  await slots.enter(never);
  slots.leave();
});
