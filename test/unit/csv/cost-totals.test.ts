import { describe, expect, test } from '@jest/globals';

import { csv, goodRow, keysOf, type Values } from '../../support/files/files.js';

const row = (currency: string, impressions: string, clicks: string, cost: string): Values =>
  goodRow('cost', { currency, impressions, clicks, cost });
const of = (campaign: string, values: Values): Values => ({ ...values, campaign });
const totals = (rows: readonly Values[]): unknown =>
  keysOf('cost', csv(rows)).map((key) => key.totals);

describe('the totals of a key', () => {
  test('are sums a currency, in the order in which currencies appear', () => {
    const rows = [
      row('USD', '1', '2', '0.5'),
      row('EUR', '10', '0', '1'),
      row('USD', '3', '4', '0.25'),
    ];
    expect(totals(rows)).toEqual([
      [
        { currency: 'USD', impressions: 4n, clicks: 6n, cost: 0.75 },
        { currency: 'EUR', impressions: 10n, clicks: 0n, cost: 1 },
      ],
    ]);
  });

  test('are those of its own rows when keys interleave', () => {
    const rows = Array.from({ length: 10 }, (_, i) =>
      of(i % 2 === 0 ? 'A' : 'B', row('EUR', String(i), '1', '0')),
    );
    expect(totals(rows)).toEqual([
      [{ currency: 'EUR', impressions: 20n, clicks: 5n, cost: 0 }],
      [{ currency: 'EUR', impressions: 25n, clicks: 5n, cost: 0 }],
    ]);
  });

  test('are none when all rows are 0, which is a deletion; its rows are still stored', () => {
    const rows = [
      row('EUR', '0', '0', '0'),
      row('USD', '00', '0', '-0.0'),
      row('EUR', '0', '0', '1e-400'),
    ];
    const [key] = keysOf('cost', csv(rows));
    expect(key!.totals).toEqual([]);
    expect(key!.rows).toHaveLength(3);
  });

  test('leave out a currency whose rows are all 0', () => {
    expect(totals([row('EUR', '0', '0', '0'), row('USD', '0', '1', '0')])).toEqual([
      [{ currency: 'USD', impressions: 0n, clicks: 1n, cost: 0 }],
    ]);
  });

  test('exist when one of the three is not 0', () => {
    for (const live of [
      row('EUR', '1', '0', '0'),
      row('EUR', '0', '1', '0'),
      row('EUR', '0', '0', '-1'),
    ]) {
      expect(totals([live])).toMatchObject([[{ currency: 'EUR' }]]);
    }
  });

  test('stay when a refund takes the cost back to 0: that is no deletion', () => {
    expect(totals([row('EUR', '0', '0', '5'), row('EUR', '0', '0', '-5')])).toEqual([
      [{ currency: 'EUR', impressions: 0n, clicks: 0n, cost: 0 }],
    ]);
  });

  test('may be negative in cost', () => {
    expect(totals([row('EUR', '0', '0', '-7.5')])).toMatchObject([[{ cost: -7.5 }]]);
  });

  test('are exact beyond 2^53', () => {
    const most = '999999999999';
    const [key] = keysOf(
      'cost',
      csv(Array.from({ length: 10_000 }, () => row('EUR', most, most, '0'))),
    );
    const sum = 999_999_999_999n * 10_000n;
    expect(sum > 2n ** 53n).toBe(true);
    expect(key!.totals).toEqual([{ currency: 'EUR', impressions: sum, clicks: sum, cost: 0 }]);
  });

  test('are exact where the lower 32 bits carry', () => {
    const rows = ['4294967295', '1', '4294967296', '4294967295'].map((count) =>
      row('EUR', count, count, '0'),
    );
    const sum = 4_294_967_295n * 2n + 1n + 4_294_967_296n;
    expect(totals(rows)).toEqual([[{ currency: 'EUR', impressions: sum, clicks: sum, cost: 0 }]]);
  });

  test('may be of many currencies in one key and many keys', () => {
    const currencies = ['EUR', 'USD', 'KRW', 'JPY', 'GBP', 'CHF', 'SEK', 'NOK', 'DKK', 'PLN'];
    const rows = Array.from({ length: 2_000 }, (_, i) =>
      of(String(i % 100), row(currencies[Math.floor(i / 100) % 10]!, '1', '1', '1')),
    );
    const keys = keysOf('cost', csv(rows));
    expect(keys).toHaveLength(100);
    for (const key of keys) {
      expect(key.totals.map(({ currency }) => currency)).toEqual(currencies);
      expect(key.totals.every(({ impressions }) => impressions === 2n)).toBe(true);
    }
  });
});

test('a self-serve upload has no totals', () => {
  expect(keysOf('self-serve', csv([goodRow('self-serve')]))[0]!.totals).toEqual([]);
});
