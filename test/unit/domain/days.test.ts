import { describe, expect, test } from '@jest/globals';

import { dayInTimeZone, dayOf, textOfDay } from '../../../src/domain/days.js';

test.each([
  ['1970-01-01', 0],
  ['1970-01-02', 1],
  ['2000-02-29', 11_016],
  ['2026-03-10', 20_522],
  ['2149-06-06', 65_535],
])('%s is day %d', (text, day) => {
  expect(dayOf(text)).toBe(day);
  expect(textOfDay(day)).toBe(text);
});

describe('the day in a time zone', () => {
  test.each([
    // Seoul is nine hours ahead, all year.
    ['Asia/Seoul', '2026-03-09T14:59:59.999Z', '2026-03-09'],
    ['Asia/Seoul', '2026-03-09T15:00:00Z', '2026-03-10'],
    // New York goes from UTC-5 to UTC-4 on 2026-03-08 at 07:00 UTC.
    ['America/New_York', '2026-03-08T04:59:59.999Z', '2026-03-07'],
    ['America/New_York', '2026-03-08T05:00:00Z', '2026-03-08'],
    ['America/New_York', '2026-03-08T06:59:59Z', '2026-03-08'],
    ['America/New_York', '2026-03-08T07:00:00Z', '2026-03-08'],
    ['America/New_York', '2026-03-09T03:59:59.999Z', '2026-03-08'],
    ['America/New_York', '2026-03-09T04:00:00Z', '2026-03-09'],
    // And back on 2026-11-01 at 06:00 UTC: that day has 25 hours.
    ['America/New_York', '2026-11-01T03:59:59Z', '2026-10-31'],
    ['America/New_York', '2026-11-01T04:00:00Z', '2026-11-01'],
    ['America/New_York', '2026-11-02T04:59:59Z', '2026-11-01'],
    ['America/New_York', '2026-11-02T05:00:00Z', '2026-11-02'],
    ['America/New_York', '2026-01-01T04:59:59Z', '2025-12-31'],
    // Clocks in Cairo and Santiago go forward at midnight: the day has no 00:00.
    ['Africa/Cairo', '2026-04-23T21:59:59Z', '2026-04-23'],
    ['Africa/Cairo', '2026-04-23T22:00:00Z', '2026-04-24'],
    // Both sides of the date line, and offsets that are not whole hours.
    ['Pacific/Kiritimati', '2026-03-09T10:00:00Z', '2026-03-10'],
    ['Pacific/Pago_Pago', '2026-03-10T10:59:59Z', '2026-03-09'],
    ['Asia/Kathmandu', '2026-03-09T18:14:59Z', '2026-03-09'],
    ['Asia/Kathmandu', '2026-03-09T18:15:00Z', '2026-03-10'],
    ['UTC', '2026-03-09T23:59:59.999Z', '2026-03-09'],
    ['UTC', '2026-03-10T00:00:00Z', '2026-03-10'],
    ['Etc/UTC', '2026-03-10T00:00:00Z', '2026-03-10'],
  ])('%s at %s is %s', (timeZone, moment, day) => {
    expect(textOfDay(dayInTimeZone(Date.parse(moment), timeZone))).toBe(day);
  });

  test('of an unknown name is an error, not another zone’s day', () => {
    expect(() => dayInTimeZone(0, 'Mars/Olympus')).toThrow(RangeError);
  });
});
