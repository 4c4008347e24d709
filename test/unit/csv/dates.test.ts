import { describe, expect, test } from '@jest/globals';

import { dayOf, textOfDay } from '../../../src/domain/days.js';
import { DayColumn } from '../../../src/csv/column-kinds.js';
import { Kernel } from '../../../src/csv/kernel/kernel.js';
import { BrokenRule } from '../../../src/csv/kernel/codes.js';
import { takenBy } from './taken.js';
import { csv, fileWith, goodRow, keysOf, reasonFor, verdictOn } from '../../support/files/files.js';

/** 2149-06-06, the last day of a 16-bit day count. */
const LAST_DAY = 65_535;
const kernel = new Kernel();
const days = new DayColumn(undefined);

/** Returns the rule that a text breaks, or undefined if it is a day. */
const broken = (text: string): number | undefined => takenBy(kernel, days, text).broken;

test('every day that the warehouse can hold is read as the day that it is', () => {
  for (let first = 0; first <= LAST_DAY; first += 8_192) {
    const dates = Array.from({ length: 8_192 }, (_, i) =>
      new Date((first + i) * 86_400_000).toISOString().slice(0, 10),
    );
    const verdict = verdictOn('cost', csv(dates.map((date) => goodRow('cost', { date }))));
    if (!verdict.valid) throw new Error(verdict.reason);
    const { buffer, byteOffset } = verdict.upload.keyColumns[0]!;
    expect([...new Uint16Array(buffer, byteOffset, 8_192)]).toEqual(
      Array.from({ length: 8_192 }, (_, i) => first + i),
    );
  }
});

test.each(['1969-12-31', '2149-06-07', '0000-01-01', '9999-12-31', '0001-02-03', '1600-02-29'])(
  '%s is a day out of range',
  (text) => {
    expect(broken(text)).toBe(BrokenRule.dateRange);
  },
);

test.each([
  '2024-02-30',
  '2023-02-29',
  '2100-02-29',
  '1900-02-29',
  '2026-04-31',
  '2026-06-31',
  '2026-09-31',
  '2026-11-31',
  '2026-01-32',
  '2026-00-10',
  '2026-13-01',
  '2026-01-00',
  '2026-1-01',
  '26-01-01',
  '2026/01/01',
  '2026-01/01',
  '2026-01-1',
  '2026-01-011',
  '+026-01-01',
  '-026-01-01',
  '2026-01-0a',
  '2026-0 -01',
  '20２6-01-01',
  '2026-01-01Z',
  'yesterday!',
  '',
  '2026–01–01',
  '2026-01:01',
  '2026-0/-01',
])('%j is no day', (text) => {
  expect(broken(text)).toBe(text === '' ? BrokenRule.blank : BrokenRule.kind);
});

test.each(['2000-02-29', '2024-02-29', '2096-02-29', '2104-02-29'])('%s is a leap day', (text) => {
  expect(keysOf('cost', fileWith('cost', { date: text }))[0]!.key[0]).toBe(text);
});

describe('a self-serve date', () => {
  const REQUESTS = ['2026-03-10', '2024-03-01', '2026-01-01', '2024-05-31'];

  test.each(REQUESTS)(
    'of a request on %s lies within 92 days before it and that day',
    (request) => {
      const requestDay = dayOf(request);
      const [first, last] = [textOfDay(requestDay - 92), request];
      for (const date of [first, last]) {
        expect(keysOf('self-serve', fileWith('self-serve', { date }), { requestDay })).toHaveLength(
          1,
        );
      }
      for (const date of [textOfDay(requestDay - 93), textOfDay(requestDay + 1)]) {
        expect(reasonFor('self-serve', fileWith('self-serve', { date }), { requestDay })).toEqual({
          date: [`row 2: "${date}" is outside ${first} to ${last}`],
        });
      }
    },
  );

  test('that is no day at all is told of as such', () => {
    expect(reasonFor('self-serve', fileWith('self-serve', { date: '2026-02-30' }))).toEqual({
      date: ['row 2: "2026-02-30" is not a date of the form YYYY-MM-DD'],
    });
  });
});

test('a cost date has no window around the request', () => {
  for (const date of ['1970-01-01', '2149-06-06']) {
    expect(keysOf('cost', fileWith('cost', { date }))[0]!.key[0]).toBe(date);
  }
  expect(reasonFor('cost', fileWith('cost', { date: '1969-12-31' }))).toEqual({
    date: ['row 2: "1969-12-31" is outside 1970-01-01 to 2149-06-06'],
  });
});
