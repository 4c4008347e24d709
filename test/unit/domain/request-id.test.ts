import { expect, test } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';

import { isUuid, timeOfUuid } from '../../../src/domain/request-id.js';

test.each([0, 1, 1_772_000_000_123, 2 ** 48 - 1])('the time %d can be read back', (now) => {
  const id = uuidv7({ msecs: now });
  expect(timeOfUuid(id)).toBe(now);
  expect(timeOfUuid(id.toUpperCase())).toBe(now);
});

test.each(['017f22e2-79b0-4cc3-98c4-dc0c0c07398f', '00000000-0000-0000-0000-000000000000'])(
  'the UUID %s has no time',
  (id) => {
    expect(timeOfUuid(id)).toBeUndefined();
  },
);

test.each([
  ['017f22e2-79b0-7cc3-98c4-dc0c0c07398f', true],
  ['017F22E2-79B0-7CC3-98C4-DC0C0C07398F', true],
  ['017f22e279b07cc398c4dc0c0c07398f', false],
  ['{017f22e2-79b0-7cc3-98c4-dc0c0c07398f}', false],
  ['017f22e2-79b0-7cc3-98c4-dc0c0c07398', false],
  ['017f22e2-79b0-7cc3-98c4-dc0c0c07398g', false],
  ['017f22e2-79b0-7cc3-98c4-dc0c0c07398f\n', false],
  ['', false],
])('%j is a UUID: %s', (text, expected) => {
  expect(isUuid(text)).toBe(expected);
});
