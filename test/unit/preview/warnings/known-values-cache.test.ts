import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';

import { KnownValuesCache } from '../../../../src/preview/warnings/known-values-cache.js';
import type { KnownColumn } from '../../../../src/warehouse/rows/known-values.js';

type Values = readonly string[] | undefined;

const MINUTE_MS = 60_000;

/** Accounts in the order in which the cache has asked for their channels. */
let asked: string[];
/** What is answered; by default each account has one channel. */
let answer: (account: string, column: KnownColumn) => Promise<Values>;
let cache: KnownValuesCache;

beforeEach(() => {
  jest.useFakeTimers();
  asked = [];
  answer = (account, column) => Promise.resolve(column === 'channel' ? [`Ads of ${account}`] : []);
  cache = new KnownValuesCache((account, column) => {
    if (column === 'channel') asked.push(account);
    return answer(account, column);
  });
});
afterEach(() => {
  jest.useRealTimers();
});

test('a value is known exactly, and by its form without case, width and white space', async () => {
  answer = (_, column) =>
    Promise.resolve(column === 'channel' ? ['Ｇoogle Ads'] : ['iOS', 'Android']);
  const { channel, os_name } = await cache.of('acme');
  expect([...channel!.exact]).toEqual(['Ｇoogle Ads']);
  expect(channel!.byForm.get('googleads')).toBe('Ｇoogle Ads');
  expect([...os_name!.exact]).toEqual(['iOS', 'Android']);
  expect(os_name!.byForm.get('ios')).toBe('iOS');
});

test('an account is asked for once in ten minutes', async () => {
  const first = await cache.of('acme');
  jest.advanceTimersByTime(10 * MINUTE_MS - 1);
  expect(await cache.of('acme')).toBe(first);
  expect(asked).toEqual(['acme']);
  jest.advanceTimersByTime(1);
  await cache.of('acme');
  expect(asked).toEqual(['acme', 'acme']);
});

test('those who come while a query is under way share it', async () => {
  let done: (values: Values) => void = () => undefined;
  answer = (_, column) =>
    column === 'channel' ? new Promise((resolve) => (done = resolve)) : Promise.resolve([]);
  const both = Promise.all([cache.of('acme'), cache.of('acme')]);
  expect(asked).toEqual(['acme']);
  done(['Search']);
  const [first, second] = await both;
  expect(second).toBe(first);
});

test('that an account has too much of a column is kept, and so is the other column', async () => {
  answer = (_, column) => Promise.resolve(column === 'channel' ? ['Search'] : undefined);
  const known = await cache.of('large');
  expect(known.os_name).toBeUndefined();
  expect(known.channel!.exact.has('Search')).toBe(true);
  expect(await cache.of('large')).toBe(known);
  expect(asked).toEqual(['large']);
});

test('a query that fails is tried again by the next one', async () => {
  answer = () => Promise.reject(new Error('away'));
  await expect(cache.of('acme')).rejects.toThrow('away');
  await expect(cache.of('acme')).rejects.toThrow('away');
  answer = () => Promise.resolve(['Search']);
  expect((await cache.of('acme')).channel!.exact.has('Search')).toBe(true);
  expect(asked).toHaveLength(3);
});

test('of more than 100 accounts the one that was asked for first is forgotten', async () => {
  const accounts = Array.from({ length: 101 }, (_, index) => `account ${index}`);
  for (const account of accounts) await cache.of(account);
  asked = [];
  await cache.of('account 1');
  await cache.of('account 100');
  expect(asked).toEqual([]);
  await cache.of('account 0');
  expect(asked).toEqual(['account 0']);
});

test('all accounts together have 8 Mi characters at most', async () => {
  const long = 'x'.repeat(1024 * 1024);
  answer = (account, column) =>
    Promise.resolve([column === 'channel' ? long : `${account}${long}`]);
  // Each has a little more than 2 Mi: four are too many.
  for (const account of ['a', 'b', 'c', 'd']) await cache.of(account);
  asked = [];
  for (const account of ['b', 'c', 'd']) await cache.of(account);
  expect(asked).toEqual([]);
  await cache.of('a');
  expect(asked).toEqual(['a']);
});
