import { expect, test } from '@jest/globals';

import { whyForeign } from '../../../src/query/foreign-requests.js';

test.each([
  '127.0.0.1',
  '127.0.0.1:8123',
  'localhost',
  'localhost:8123',
  'LocalHost:1',
  '[::1]',
  '[::1]:8123',
])('a request to %s is answered', (host) => {
  expect(whyForeign({ host })).toBeUndefined();
});

test.each([
  undefined,
  '',
  'evil.example',
  'evil.example:8123',
  '127.0.0.1.evil.example',
  'localhost.evil.example',
  'evil.example@localhost',
  'localhost@evil.example',
  'localhost:8123.evil.example',
  'xlocalhost',
  '0.0.0.0:8123',
  '::1',
  'localhost:',
  '127.0.0.1, evil.example',
])('a request to %s is not', (host) => {
  expect(whyForeign(host === undefined ? {} : { host })).toContain('127.0.0.1');
});

test.each([
  [undefined, undefined],
  ['none', undefined],
  ['same-origin', undefined],
  ['same-site', expect.stringContaining('other sites')],
  ['cross-site', expect.stringContaining('other sites')],
])('a browser that says %s', (site, answer) => {
  const headers = { host: 'localhost', ...(site === undefined ? {} : { 'sec-fetch-site': site }) };
  expect(whyForeign(headers)).toEqual(answer);
});
