import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';

import { KnownValuesCache } from '../../../../src/preview/warnings/known-values-cache.js';
import type { KnownValues } from '../../../../src/warehouse/rows/known-values.js';

const MINUTE_MS = 60_000;

/** Accounts in the order in which the cache has asked for them. */
let asked: string[];
/** What is answered; by default each account has one channel. */
let answer: (account: string) => Promise<KnownValues | undefined>;
let cache: KnownValuesCache;

beforeEach(() => {
  jest.useFakeTimers();
  asked = [];
  answer = (account) => Promise.resolve({ channel: [`Ads of ${account}`], os_name: [] });
  cache = new KnownValuesCache((account) => {
    asked.push(account);
    return answer(account);
  });
});
afterEach(() => {
  jest.useRealTimers();
});

test('a value is known exactly, and by its form without case, width and white space', async () => {
  answer = () => Promise.resolve({ channel: ['Ｇoogle Ads'], os_name: ['iOS', 'Android'] });
  const known = await cache.of('acme');
  expect([...known!.channel.exact]).toEqual(['Ｇoogle Ads']);
  expect(known!.channel.byForm.get('googleads')).toBe('Ｇoogle Ads');
  expect([...known!.os_name.exact]).toEqual(['iOS', 'Android']);
  expect(known!.os_name.byForm.get('ios')).toBe('iOS');
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
  let done: (values: KnownValues) => void = () => undefined;
  answer = () => new Promise((resolve) => (done = resolve));
  const both = Promise.all([cache.of('acme'), cache.of('acme')]);
  expect(asked).toEqual(['acme']);
  done({ channel: ['Search'], os_name: [] });
  const [first, second] = await both;
  expect(second).toBe(first);
});

test('that an account has too much is kept as well', async () => {
  answer = () => Promise.resolve(undefined);
  expect(await cache.of('large')).toBeUndefined();
  expect(await cache.of('large')).toBeUndefined();
  expect(asked).toEqual(['large']);
});

test('a query that fails is tried again by the next one', async () => {
  answer = () => Promise.reject(new Error('away'));
  await expect(cache.of('acme')).rejects.toThrow('away');
  await expect(cache.of('acme')).rejects.toThrow('away');
  answer = () => Promise.resolve({ channel: ['Search'], os_name: [] });
  expect((await cache.of('acme'))!.channel.exact.has('Search')).toBe(true);
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
  answer = (account) => Promise.resolve({ channel: [long], os_name: [`${account}${long}`] });
  // Each has a little more than 2 Mi: four are too many.
  for (const account of ['a', 'b', 'c', 'd']) await cache.of(account);
  asked = [];
  for (const account of ['b', 'c', 'd']) await cache.of(account);
  expect(asked).toEqual([]);
  await cache.of('a');
  expect(asked).toEqual(['a']);
});
