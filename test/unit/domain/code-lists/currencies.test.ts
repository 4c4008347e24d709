import { expect, test } from '@jest/globals';
import { isISO4217CurrencyCode } from 'class-validator';

import { CURRENCIES } from '../../../../src/domain/code-lists/currencies.js';

const LETTERS = Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZ');
const THEIRS = LETTERS.flatMap((a) =>
  LETTERS.flatMap((b) => LETTERS.map((c) => a + b + c)).filter((code) =>
    isISO4217CurrencyCode(code),
  ),
);

test('the currencies are those of class-validator’s list, but for what is written here', () => {
  // Newer than that list: the Caribbean guilder (2025) and Zimbabwe Gold (2024).
  const added = ['XCG', 'ZWG'];
  // No longer in that list, but retired only since 2015: cost data may be that old.
  const retired = ['BYR', 'CUC', 'HRK', 'MRO', 'STD', 'VEF'];
  expect(CURRENCIES.filter((code) => !THEIRS.includes(code)).sort()).toEqual(
    [...added, ...retired].sort(),
  );
  // Metals, funds, units of account and test codes: nobody is billed in them.
  const noCountry = 'XAG XAU XBA XBB XBC XBD XDR XPD XPT XSU XTS XUA XXX';
  expect(THEIRS.filter((code) => !CURRENCIES.includes(code)).join(' ')).toBe(noCountry);
});

test.each(['ANG', 'BGN', 'SLL', 'ZWL'])('%s, retired since 2015, is still taken', (code) => {
  expect(CURRENCIES).toContain(code);
});

test.each(['DEM', 'FRF', 'LTL', 'LVL', 'EEK', 'GHC', 'TRL', 'ZWD'])(
  '%s, retired before 2015, is not',
  (code) => {
    expect(CURRENCIES).not.toContain(code);
  },
);

test('each is there once, in three uppercase letters', () => {
  expect(new Set(CURRENCIES).size).toBe(CURRENCIES.length);
  expect(CURRENCIES.every((code) => /^[A-Z]{3}$/.test(code))).toBe(true);
});
