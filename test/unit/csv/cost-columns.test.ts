import { describe, expect, test } from '@jest/globals';

import {
  fileWith,
  keysOf,
  reasonFor,
  type Values,
  withoutHint,
} from '../../support/files/files.js';

/** Accepted and refused values, one line for each column of a cost file. */

const TEXT = {
  good: ['a', 'Größe', '日本', 'a, "b"\nc', 'two  words', '0', 'NULL', 'x'.repeat(256)],
  bad: ['', ' a', 'a ', 'x'.repeat(257)],
};

const COLUMNS: Record<string, { good: string[]; bad: string[] }> = {
  date: {
    good: ['2026-03-01', '1970-01-01', '2149-06-06', '2024-02-29', '2030-12-31'],
    bad: ['', '2026-3-1', '20260301', '01/03/2026', '2026-02-29', '1969-12-31', '2149-06-07'],
  },
  channel: TEXT,
  currency: {
    good: ['EUR', 'USD', 'KRW', 'XAF', 'HRK', 'XCG'],
    bad: ['', 'eur', 'Eur', 'EU', 'EURO', 'XXX', 'XAU', 'ZZZ', 'DEM', 'EUR ', '€'],
  },
  campaign: TEXT,
  impressions: {
    good: ['0', '1', '007', '999999999999', '0'.repeat(300) + '1'],
    bad: ['', '-1', '+1', '1.0', '1e3', '1,000', '1_000', ' 1', '1 ', '1000000000000', 'a', '١'],
  },
  clicks: { good: ['0', '5'], bad: ['', '-0', '0x10', 'NaN'] },
  cost: {
    good: ['0', '-0', '12', '-3.5', '+3.5', '1.5e3', '1E-3', '0.10', '00.5', '1e-400', '-1e308'],
    bad: [
      '',
      '.5',
      '5.',
      '1,5',
      '1,000.00',
      '$5',
      'NaN',
      'Infinity',
      '-',
      '1e',
      '1e400',
      '0x1',
      '1 ',
    ],
  },
  campaign_id: TEXT,
  ad_group: TEXT,
  ad_group_id: TEXT,
  ad_creative: TEXT,
  ad_creative_id: TEXT,
  term: TEXT,
  term_id: TEXT,
  ad_account: TEXT,
  ad_account_id: TEXT,
  sub_publisher: TEXT,
  sub_sub_publisher_1: TEXT,
  sub_sub_publisher_2: TEXT,
  sub_sub_publisher_3: TEXT,
  country: {
    good: ['de', 'us', 'kr', 'xk', 'gb'],
    bad: ['', 'DE', 'De', 'd', 'deu', 'zz', 'uk', 'eu', 'd3', 'ä'],
  },
  os_name: TEXT,
};

const cases = (which: 'good' | 'bad'): [string, string][] =>
  Object.entries(COLUMNS).flatMap(([column, values]) =>
    values[which].map((value): [string, string] => [column, value]),
  );

describe('a cost file', () => {
  test.each(cases('good'))('takes in %s the value %j', (column, value) => {
    const [key] = keysOf('cost', fileWith('cost', { [column]: value }));
    expect(key!.rows).toHaveLength(1);
  });

  test.each(cases('bad'))(
    'refuses in %s the value %j, and says so under its name',
    (column, value) => {
      const reason = withoutHint(reasonFor('cost', fileWith('cost', { [column]: value })));
      expect(Object.keys(reason)).toEqual([column]);
      expect(reason[column]).toHaveLength(1);
      expect(reason[column]![0]).toContain(`row 2: "${Array.from(value).slice(0, 64).join('')}`);
    },
  );

  test.each(['date', 'channel', 'currency', 'campaign', 'impressions', 'clicks', 'cost'])(
    'without the required column %s is refused',
    (column) => {
      const lines = fileWith('cost', { term: 'a' }).trimEnd().split('\n');
      const at = lines[0]!.split(',').indexOf(column);
      const without = lines.map((line) => line.split(',').toSpliced(at, 1).join(','));
      expect(reasonFor('cost', without.join('\n'))).toEqual({
        [column]: ['row 1: the required column is missing'],
      });
    },
  );

  test('takes every column at once and stores each value under its name', () => {
    const values: Values = Object.fromEntries(
      Object.keys(COLUMNS).map((column) => [column, column.replaceAll('_', '-')]),
    );
    const metrics = { impressions: '7', clicks: '8', cost: '-9.25' };
    const codes = { date: '2026-03-01', currency: 'KRW', country: 'kr' };
    const [key] = keysOf('cost', fileWith('cost', { ...values, ...metrics, ...codes }));
    const { date, channel, campaign, ...rest } = { ...values, ...codes } as Values;
    expect(key!.key).toEqual([date, channel, campaign]);
    expect(key!.rows).toEqual([{ ...rest, impressions: 7n, clicks: 8n, cost: -9.25 }]);
  });

  test('may leave every optional column out, which stores empty text', () => {
    const [key] = keysOf('cost', fileWith('cost', {}));
    const { currency, impressions, clicks, cost, ...optional } = key!.rows[0]!;
    expect({ currency, impressions, clicks, cost }).toEqual({
      currency: 'EUR',
      impressions: 100n,
      clicks: 10n,
      cost: 1.5,
    });
    expect(Object.keys(optional)).toHaveLength(15);
    expect(new Set(Object.values(optional))).toEqual(new Set(['']));
  });
});
