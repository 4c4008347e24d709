import { expect, test } from '@jest/globals';

import { isUuid, timeOfUuid, uuidv7 } from '../../../../src/domain/request-id.js';

const ONES = new Uint8Array(10).fill(0xff);
const ZEROS = new Uint8Array(10);

test('a request id is a UUID of version 7, as RFC 9562 lays it out', () => {
  // The example of RFC 9562, appendix A.6.
  const random = Uint8Array.of(0x0c, 0xc3, 0x18, 0xc4, 0xdc, 0x0c, 0x0c, 0x07, 0x39, 0x8f);
  expect(uuidv7(0x017f22e279b0, random)).toBe('017f22e2-79b0-7cc3-98c4-dc0c0c07398f');
});

test('randomness never reaches the version, the variant or the time', () => {
  expect(uuidv7(0, ONES)).toBe('00000000-0000-7fff-bfff-ffffffffffff');
  expect(uuidv7(2 ** 48 - 1, ZEROS)).toBe('ffffffff-ffff-7000-8000-000000000000');
});

test('ids sort by their time', () => {
  const ids = [1, 255, 256, 65_536, 2 ** 32 - 1, 2 ** 32, 1_772_000_000_000].map((now, i) =>
    uuidv7(now, i % 2 === 0 ? ONES : ZEROS),
  );
  expect([...ids].sort()).toEqual(ids);
});

test.each([0, 1, 1_772_000_000_123, 2 ** 48 - 1])('the time %d can be read back', (now) => {
  const id = uuidv7(now, ONES);
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
