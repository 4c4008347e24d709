import { expect, test } from '@jest/globals';
import { isISO31661Alpha2 } from 'class-validator';

import { COUNTRIES } from '../../../../src/domain/code-lists/countries.js';

const LETTERS = Array.from('abcdefghijklmnopqrstuvwxyz');

test('the countries are those of class-validator’s list in lowercase, and Kosovo', () => {
  const theirs = LETTERS.flatMap((a) => LETTERS.map((b) => a + b)).filter((code) =>
    isISO31661Alpha2(code.toUpperCase()),
  );
  expect(theirs).toHaveLength(249);
  // `xk` is a user-assigned code of ISO 3166-1, in common use.
  expect([...COUNTRIES].sort()).toEqual([...theirs, 'xk'].sort());
});

test.each(['uk', 'eu', 'su', 'yu', 'an', 'el', 'zz'])('%s is none', (code) => {
  expect(COUNTRIES).not.toContain(code);
});
