import { describe, expect, test } from '@jest/globals';

import { dayOf, LAST_DAY, textOfDay } from '../../../src/domain/days.js';
import { DAY_OUT_OF_RANGE, NOT_A_DAY, parseDay } from '../../../src/ingest/validate/dates.js';
import { fileWith, keysOf, reasonFor } from '../files.js';

function day(text: string): number {
  const bytes = Buffer.from(`>${text}<`);
  return parseDay(bytes, 1, bytes.length - 1);
}

test('every day that the warehouse can hold is read as the day that it is', () => {
  for (let count = 0; count <= LAST_DAY; count++) {
    const text = new Date(count * 86_400_000).toISOString().slice(0, 10);
    if (day(text) !== count) throw new Error(`${text} was read as ${day(text)}`);
  }
  expect(day('2149-06-06')).toBe(LAST_DAY);
});

test.each(['1969-12-31', '2149-06-07', '0000-01-01', '9999-12-31', '0001-02-03', '1600-02-29'])(
  '%s is a day out of range',
  (text) => {
    expect(day(text)).toBe(DAY_OUT_OF_RANGE);
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
  expect(day(text)).toBe(NOT_A_DAY);
});

test.each(['2000-02-29', '2024-02-29', '2096-02-29', '2104-02-29'])('%s is a leap day', (text) => {
  expect(day(text)).toBe(dayOf(text));
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
