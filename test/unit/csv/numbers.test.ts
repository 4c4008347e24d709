import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';

import { NumberColumn } from '../../../src/csv/column-kinds.js';
import { Kernel } from '../../../src/csv/kernel/kernel.js';
import { takenBy } from './taken.js';
import { runs } from '../../support/model/property.js';

const kernel = new Kernel();
const amounts = new NumberColumn(kernel, true);
const counts = new NumberColumn(kernel, false);

/** Returns the number that the column keeps for a text, or NaN if it is refused. */
function amount(text: string): number {
  const { value, broken } = takenBy(kernel, amounts, text);
  return broken === undefined ? value.getFloat64(0, true) : NaN;
}

/** Returns the count that the column keeps for a text, or -1 if it is refused. */
function count(text: string): number {
  const { value, broken } = takenBy(kernel, counts, text);
  return broken === undefined ? Number(value.getBigUint64(0, true)) : -1;
}

const AMOUNT = /^[+-]?\d+(\.\d+)?([eE][+-]?\d+)?$/;

const digits = fc.stringMatching(/^\d{1,25}$/);
const decimal = fc
  .record({
    sign: fc.constantFrom('', '', '-', '+'),
    whole: digits,
    fraction: fc.option(digits, { nil: undefined }),
    exponent: fc.option(fc.tuple(fc.constantFrom('e', 'E'), fc.integer({ min: -350, max: 350 })), {
      nil: undefined,
    }),
  })
  .map(
    ({ sign, whole, fraction, exponent }) =>
      sign +
      whole +
      (fraction === undefined ? '' : `.${fraction}`) +
      (exponent === undefined ? '' : exponent[0] + String(exponent[1])),
  );

describe('an amount', () => {
  test('is exactly the double nearest to the decimal number, and never minus zero', () => {
    fc.assert(
      fc.property(decimal, (text) => {
        const nearest = Number(text);
        expect(amount(text)).toBe(Number.isFinite(nearest) ? nearest + 0 : NaN);
      }),
      runs(5_000),
    );
  });

  test('is any double, written the way the language writes it', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        expect(amount(String(value))).toBe(value + 0);
      }),
      runs(3_000),
    );
  });

  test('is refused in every other form', () => {
    const parts = fc.constantFrom(
      '0',
      '7',
      '12',
      '.',
      '-',
      '+',
      'e',
      'E',
      ',',
      ' ',
      '_',
      'x',
      'f',
      'n',
    );
    fc.assert(
      fc.property(fc.array(parts, { maxLength: 6 }), (pieces) => {
        const text = pieces.join('');
        const isAmount = AMOUNT.test(text) && Number.isFinite(Number(text));
        expect(Number.isNaN(amount(text))).toBe(!isAmount);
      }),
      runs(5_000),
    );
  });

  test.each([
    ['1e-400', 0],
    ['-1e-400', 0],
    ['-0', 0],
    ['-0.0e5', 0],
    ['0e999999999999999999999', 0],
    ['1e-999999999999999999999', 0],
    ['9007199254740993', 9007199254740992],
    ['0.1', 0.1],
    ['123456789012345.678', 123456789012345.678],
    ['1.7976931348623157e308', Number.MAX_VALUE],
    ['5e-324', Number.MIN_VALUE],
    ['0.' + '0'.repeat(400) + '1', 0],
    ['1' + '0'.repeat(300), 1e300],
    ['0'.repeat(1_000) + '12.5', 12.5],
  ])('%s is %d', (text, value) => {
    expect(Object.is(amount(text), value)).toBe(true);
  });

  test.each([
    '1e309',
    '-1e309',
    '1e999999999999999999999',
    '1' + '0'.repeat(309),
    'Infinity',
    'NaN',
    '',
  ])('%j is not finite or no number', (text) => {
    expect(amount(text)).toBeNaN();
  });
});

describe('a count', () => {
  test('is any whole number up to 999999999999, with leading zeros or without', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 999_999_999_999 }), fc.nat(5), (value, zeros) => {
        expect(count('0'.repeat(zeros) + String(value))).toBe(value);
      }),
      runs(2_000),
    );
  });

  test('is nothing else', () => {
    const parts = fc.constantFrom('0', '9', '999999', '.', '-', '+', 'e', ' ', '/', ':', 'é');
    fc.assert(
      fc.property(fc.array(parts, { maxLength: 6 }), (pieces) => {
        const text = pieces.join('');
        const isCount = /^\d+$/.test(text) && BigInt(text) <= 999_999_999_999n;
        expect(count(text)).toBe(isCount ? Number(text) : -1);
      }),
      runs(3_000),
    );
  });
});
