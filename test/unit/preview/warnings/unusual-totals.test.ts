import { expect, test } from '@jest/globals';

import { textOfDay, dayOf } from '../../../../src/domain/days.js';
import { COST } from '../../../../src/domain/families/index.js';
import { valuesOf } from '../../../../src/preview/warnings/file-values.js';
import { unusualTotals } from '../../../../src/preview/warnings/unusual-totals.js';
import type { WarningThresholds } from '../../../../src/domain/warning-thresholds.js';
import { csv, goodRow, THRESHOLDS, type Values } from '../../../support/files/files.js';

const DAY = dayOf('2026-03-01');

/** Totals of so many days before the file's day. */
const stored = (amounts: readonly number[], name = 'EUR') =>
  amounts.map((amount, index) => ({
    day: textOfDay(DAY - 1 - index),
    channel: 'Search',
    name,
    amount,
  }));

function warningsFor(
  cost: string,
  before: ReturnType<typeof stored>,
  set: Partial<WarningThresholds> = {},
) {
  const file = Buffer.from(csv([goodRow('cost', { cost, campaign: 'a' })]));
  return unusualTotals(COST, valuesOf(COST, [file]), before, { ...THRESHOLDS, ...set });
}

test.each([
  ['1000', 0],
  ['1000.01', 1],
  ['10', 0],
  ['9.99', 1],
])('with a usual total of 100, a total of %s gets %d warnings', (cost, count) => {
  // The median is not moved by one day.
  const before = stored([100, 100, 100, 100, 100, 100, 1e9]);
  expect(warningsFor(cost, before)).toHaveLength(count);
});

test('how far from the usual a total is unusual can be set', () => {
  const before = stored(Array<number>(7).fill(100));
  const counts = ['300', '301', '34', '33'].map(
    (cost) => warningsFor(cost, before, { unusualFactor: 3 }).length,
  );
  expect(counts).toEqual([0, 1, 0, 1]);
});

test('with how many days a day is compared, and how many of them need data, can be set', () => {
  const before = stored([100, 100, 100, 1, 1, 1, 1]);
  // The median is 1, or of three days 100.
  expect(warningsFor('100', before)).toHaveLength(1);
  const three = { usualDays: 3, fewestUsualDays: 3 };
  expect(warningsFor('100', before, three)).toEqual([]);
  expect(warningsFor('1001', before, three)).toHaveLength(1);
  expect(warningsFor('1001', before, { ...three, fewestUsualDays: 4 })).toEqual([]);
});

test('days with impressions but no cost count, and days that are deleted do not', () => {
  // Free on most days: nothing is usual.
  const free = [...Array<number>(8).fill(0), ...Array<number>(7).fill(100)];
  expect(warningsFor('5000', stored(free))).toEqual([]);
  const before = stored(Array<number>(6).fill(100));
  const zero = { impressions: '0', clicks: '0', cost: '0' };
  const seventh = { date: textOfDay(DAY - 7), campaign: 'b' };
  const withSeventh = (values: Values): number => {
    const rows: Values[] = [
      { cost: '5000', campaign: 'a' },
      { ...seventh, ...values },
    ];
    const file = Buffer.from(csv(rows.map((row) => goodRow('cost', row))));
    return unusualTotals(COST, valuesOf(COST, [file]), before, THRESHOLDS).length;
  };
  expect(withSeventh(zero)).toBe(0);
  expect(withSeventh({ ...zero, impressions: '1' })).toBe(1);
});

test('a day of which everything is deleted has a total of zero', () => {
  const zero = { impressions: '0', clicks: '0', cost: '0' };
  const file = Buffer.from(csv([goodRow('cost', { ...zero, campaign: 'a' })]));
  const before = stored(Array<number>(7).fill(100));
  const [warning] = unusualTotals(COST, valuesOf(COST, [file]), before, THRESHOLDS);
  expect(warning!.message).toBe('"Search" would have 0 EUR on 2026-03-01, where 100 is usual');
});

test('the warning has the total, what is usual, and the rows', () => {
  expect(warningsFor('5000', stored([100, 90, 110, 100, 100, 100, 100]))).toEqual([
    {
      code: 'unusual-total',
      column: 'cost',
      rows: [2],
      message: '"Search" would have 5000 EUR on 2026-03-01, where 100 is usual',
    },
  ]);
});

test('what is stored of the day counts, and days beyond 28 and other currencies do not', () => {
  const sameDay = [{ day: '2026-03-01', channel: 'Search', name: 'EUR', amount: 999 }];
  const before = stored(Array<number>(7).fill(100));
  expect(warningsFor('2', [...before, ...sameDay])).toHaveLength(1);
  expect(warningsFor('5000', stored(Array<number>(6).fill(100)))).toEqual([]);
  const old = stored(Array<number>(40).fill(1)).slice(22);
  expect(warningsFor('5000', old.slice(6))).toEqual([]);
  expect(warningsFor('5000', stored(Array<number>(7).fill(1), 'USD'))).toEqual([]);
});
