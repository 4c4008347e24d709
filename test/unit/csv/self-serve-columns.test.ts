import { describe, expect, test } from '@jest/globals';

import { fileWith, keysOf, reasonFor, withoutHint } from '../../support/files/files.js';

/** Accepted and refused values, one line for each column of a self-serve file. */

const REQUIRED_TEXT = {
  good: ['a', 'Größe', 'a, "b"\nc', 'x'.repeat(256)],
  bad: ['', ' a', 'a ', 'x'.repeat(257)],
};
const TEXT = { good: [...REQUIRED_TEXT.good, ''], bad: [' a', 'a ', ' ', 'x'.repeat(257)] };
const BOOLEAN = {
  good: ['true', 'false', ''],
  bad: ['True', 'FALSE', '1', '0', 'yes', ' true', 'true ', 'truefalse', 'tru'],
};

const COLUMNS: Record<string, { good: string[]; bad: string[] }> = {
  date: {
    good: ['2026-03-10', '2026-03-01', '2025-12-08'],
    bad: [
      '',
      '2026-3-1',
      '2026/03/01',
      '2026-02-29',
      '2026-03-11',
      '2025-12-07',
      '2026-03-01T00:00',
    ],
  },
  channel: REQUIRED_TEXT,
  event_category: {
    good: ['a', 'Z', '9', 'SignUps2026', 'x'.repeat(256)],
    bad: ['', 'a b', 'a_b', 'a-b', 'a,b', 'a"b', 'a\\b', 'é', '登録', 'a ', 'a\n', 'x'.repeat(257)],
  },
  event_value: {
    good: ['0', '1', '-1', '1.5', '1e3', '12345678901234567890'],
    bad: ['', ' ', '1,5', '.5', '5.', 'NaN', 'inf', '1e999'],
  },
  campaign: TEXT,
  ad_group: TEXT,
  ad_creative: TEXT,
  content: TEXT,
  event_source: {
    good: ['app', 'web', 'tracking_link', 'sms_link', ''],
    bad: ['App', 'WEB', 'email', 'tracking-link', 'tracking', 'web ', ' web', 'sms_link2'],
  },
  os_name: TEXT,
  term: TEXT,
  country: { good: ['de', 'xk', ''], bad: ['DE', 'zz', 'd', 'deu', ' '] },
  currency: { good: ['EUR', 'HRK', ''], bad: ['eur', 'XXX', 'EU', 'ZZZ', ' '] },
  sub_publisher: TEXT,
  sub_sub_publisher_1: TEXT,
  sub_sub_publisher_2: TEXT,
  sub_sub_publisher_3: TEXT,
  is_first_event_per_device_id: BOOLEAN,
  is_first_event_per_user_id: BOOLEAN,
};

const cases = (which: 'good' | 'bad'): [string, string][] =>
  Object.entries(COLUMNS).flatMap(([column, values]) =>
    values[which].map((value): [string, string] => [column, value]),
  );

describe('a self-serve file', () => {
  test.each(cases('good'))('takes in %s the value %j', (column, value) => {
    const [key] = keysOf('self-serve', fileWith('self-serve', { [column]: value }));
    expect(key!.rows).toHaveLength(1);
  });

  test.each(cases('bad'))(
    'refuses in %s the value %j, and says so under its name',
    (column, value) => {
      const reason = withoutHint(
        reasonFor('self-serve', fileWith('self-serve', { [column]: value })),
      );
      expect(Object.keys(reason)).toEqual([column]);
      expect(reason[column]).toHaveLength(1);
      expect(reason[column]![0]).toContain(`row 2: "${Array.from(value).slice(0, 64).join('')}`);
    },
  );

  test.each(['date', 'channel', 'event_category', 'event_value'])(
    'without the required column %s is refused',
    (column) => {
      const lines = fileWith('self-serve', { term: 'a' }).trimEnd().split('\n');
      const at = lines[0]!.split(',').indexOf(column);
      const without = lines.map((line) => line.split(',').toSpliced(at, 1).join(','));
      expect(reasonFor('self-serve', without.join('\n'))).toEqual({
        [column]: ['row 1: the required column is missing'],
      });
    },
  );

  test('takes every column at once and stores each value under its name', () => {
    const values = {
      campaign: 'a1',
      ad_group: 'b',
      ad_creative: 'c',
      content: 'd',
      event_source: 'sms_link',
      os_name: 'iOS',
      term: 'e',
      country: 'kr',
      currency: 'KRW',
      sub_publisher: 'f',
      sub_sub_publisher_1: 'g',
      sub_sub_publisher_2: 'h',
      sub_sub_publisher_3: 'i',
    };
    const flags = { is_first_event_per_device_id: 'true', is_first_event_per_user_id: 'false' };
    const [key] = keysOf('self-serve', fileWith('self-serve', { ...values, ...flags }));
    expect(key!.key).toEqual(['2026-03-01', 'Search', 'Signups']);
    expect(key!.rows).toEqual([
      {
        ...values,
        event_value: 3,
        is_first_event_per_device_id: true,
        is_first_event_per_user_id: false,
      },
    ]);
  });

  test('stores blank and absent optional values alike', () => {
    const optional = Object.fromEntries(
      Object.keys(COLUMNS)
        .slice(4)
        .map((column) => [column, '']),
    );
    const [absent] = keysOf('self-serve', fileWith('self-serve', {}));
    const [blank] = keysOf('self-serve', fileWith('self-serve', optional));
    expect(blank).toEqual(absent);
    expect(blank!.rows[0]).toMatchObject({ term: '', is_first_event_per_user_id: null });
  });

  test('does not know the channels with cost integration', () => {
    expect(keysOf('self-serve', fileWith('self-serve', { channel: 'Acme Ads' }))).toHaveLength(1);
  });
});
