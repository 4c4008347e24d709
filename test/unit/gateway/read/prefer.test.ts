import { expect, test } from '@jest/globals';

import { preferredWait } from '../../../../src/gateway/read/read.controller.js';

test.each([
  ['wait=5', 5],
  ['wait=0', 0],
  ['WAIT = "7"', 7],
  ['wait=31', 30],
  ['wait=99999999999999999999', 30],
  ['respond-async, wait=4; foo=1', 4],
  ['wait=3, wait=9', 3],
])('%s', (header, seconds) => {
  expect(preferredWait(header)).toBe(seconds);
});

test.each([
  undefined,
  '',
  'wait',
  'wait=',
  'wait=-1',
  'wait=1.5',
  'wait=5s',
  'wait="5',
  'waiting=5',
  'no wait=5',
  'wait=x, wait=5',
])('%s is ignored', (header) => {
  expect(preferredWait(header)).toBeUndefined();
});
