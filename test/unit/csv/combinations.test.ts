import { describe, expect, test } from '@jest/globals';

import { csv, goodRow, keysOf, type Values } from '../../support/files/files.js';
import type { DecodedKey, Row } from '../../support/model/decode-prepared.js';

/** Rows of a key that agree on every group-by column are summed; reports read the sums. */

const cost = (...rows: Values[]): DecodedKey[] =>
  keysOf('cost', csv(rows.map((row) => goodRow('cost', row))));
const selfServe = (...rows: Values[]): DecodedKey[] =>
  keysOf('self-serve', csv(rows.map((row) => goodRow('self-serve', row))));

const numbers = (impressions: string, clicks: string, paid: string): Values => ({
  impressions,
  clicks,
  cost: paid,
});
const metricsOf = ({ impressions, clicks, cost: paid }: Row): unknown[] => [
  impressions,
  clicks,
  paid,
];
const valuesOf = ([key]: readonly DecodedKey[]): unknown[] =>
  key!.combinations.map(({ event_value }) => event_value);

describe('rows of cost', () => {
  test('that differ in a text are combinations of their own, and are not stored twice', () => {
    const [key] = cost({ ad_group: 'a', term: 'x' }, { ad_group: 'a', term: 'y' });
    expect(key!.combinations).toEqual(key!.rows);
    expect(key!.hasCsvRows).toBe(false);
  });

  test('that agree are summed, and stay CSV rows', () => {
    const [key] = cost(
      { ad_group: 'a', ...numbers('1', '2', '0.5') },
      { ad_group: 'b', ...numbers('7', '7', '7') },
      { ad_group: 'a', ...numbers('10', '20', '0.25') },
    );
    expect(key!.combinations.map(metricsOf)).toEqual([
      [11n, 22n, 0.75],
      [7n, 7n, 7],
    ]);
    expect(key!.rows.map(metricsOf)).toEqual([
      [1n, 2n, 0.5],
      [7n, 7n, 7],
      [10n, 20n, 0.25],
    ]);
    expect(key!.hasCsvRows).toBe(true);
  });

  test('of another key are not summed with them', () => {
    const keys = cost({ campaign: 'A' }, { campaign: 'B' }, { campaign: 'A' });
    expect(keys.map(({ combinations, hasCsvRows }) => [combinations.length, hasCsvRows])).toEqual([
      [1, true],
      [1, false],
    ]);
  });

  test('are added in the order of the file, in double precision', () => {
    const [key] = cost({ cost: '1e16' }, { cost: '1' }, { cost: '1' }, { cost: '-1e16' });
    expect(key!.combinations[0]!['cost']).toBe(1e16 + 1 + 1 - 1e16);
    expect(1e16 + 1 + 1 - 1e16).not.toBe(1e16 - 1e16 + 1 + 1);
  });

  test('may have a sum that is not finite', () => {
    const [key] = cost({ cost: '1e308' }, { cost: '1e308' });
    expect(key!.combinations[0]!['cost']).toBe(Infinity);
  });

  test('that cancel out are shown', () => {
    const [key] = cost(numbers('0', '0', '5'), numbers('0', '0', '-5'));
    expect(key!.combinations.map(metricsOf)).toEqual([[0n, 0n, 0]]);
    expect(Object.is(key!.combinations[0]!['cost'], 0)).toBe(true);
  });

  test.each(['0', '-0', '-0.0', '1e-400', '-1e-400'])(
    'of zeros, written %s, are hidden, and stay CSV rows',
    (zero) => {
      const [key] = cost(numbers('0', '0', zero), numbers('00', '0', '0'));
      expect(key!.combinations).toEqual([]);
      expect(key!.rows).toHaveLength(2);
      expect(key!.hasCsvRows).toBe(true);
    },
  );

  test('of zeros do not hide a row beside them', () => {
    const [key] = cost(
      { ad_group: 'a', ...numbers('0', '0', '0') },
      { ad_group: 'b', ...numbers('0', '1', '0') },
    );
    expect(key!.combinations).toMatchObject([{ ad_group: 'b', clicks: 1n }]);
    expect(key!.rows).toHaveLength(2);
  });

  test('are summed beyond 2^53', () => {
    const most = '999999999999';
    const [key] = cost(...Array.from({ length: 10_000 }, () => numbers(most, most, '0.5')));
    const sum = 999_999_999_999n * 10_000n;
    expect(key!.combinations.map(metricsOf)).toEqual([[sum, sum, 5_000]]);
    expect(key!.rows).toHaveLength(10_000);
  });

  test('of thousands of combinations under one key are told apart', () => {
    const rows = Array.from({ length: 10_000 }, (_, i) => ({
      term: `t${i % 5_000}`,
      country: i % 2 === 0 ? 'de' : 'us',
      clicks: String(i),
    }));
    const [key] = cost(...rows);
    expect(key!.combinations.map(({ term, clicks }) => [term, clicks])).toEqual(
      Array.from({ length: 5_000 }, (_, i) => [`t${i}`, BigInt(2 * i + 5_000)]),
    );
  });
});

describe('rows of a metric', () => {
  test('that agree are summed, zeros too', () => {
    const keys = selfServe({ event_value: '5' }, { event_value: '-5' }, { event_value: '0' });
    expect(valuesOf(keys)).toEqual([0]);
    expect(keys[0]!.rows).toHaveLength(3);
  });

  test('of zeros are shown', () => {
    expect(valuesOf(selfServe({ event_value: '0' }, { event_value: '-0' }))).toEqual([0]);
    expect(valuesOf(selfServe({ event_value: '0' }))).toEqual([0]);
  });

  test('that differ in a boolean, or have none, are combinations of their own', () => {
    const of = (device: string, user: string): Values => ({
      is_first_event_per_device_id: device,
      is_first_event_per_user_id: user,
    });
    const pairs = ['', 'true', 'false'].flatMap((device) =>
      ['', 'true', 'false'].map((user) => of(device, user)),
    );
    const [key] = selfServe(...pairs, ...pairs);
    const parsed = (text: string): boolean | null => (text === '' ? null : text === 'true');
    expect(key!.combinations).toHaveLength(9);
    for (const [i, combination] of key!.combinations.entries()) {
      expect(combination).toMatchObject({
        event_value: 6,
        is_first_event_per_device_id: parsed(pairs[i]!['is_first_event_per_device_id']!),
        is_first_event_per_user_id: parsed(pairs[i]!['is_first_event_per_user_id']!),
      });
    }
  });

  test('that differ in where their texts stand are combinations of their own', () => {
    const [key] = selfServe(
      { campaign: 'a', ad_group: '', content: '' },
      { campaign: '', ad_group: 'a', content: '' },
      { campaign: '', ad_group: '', content: 'a' },
    );
    expect(key!.combinations).toHaveLength(3);
    expect(key!.hasCsvRows).toBe(false);
  });

  test.each(['campaign', 'content', 'sub_sub_publisher_3', 'country'])(
    'have their %s, be it the only text that the file has',
    (name) => {
      const value = name === 'country' ? 'de' : 'the text';
      const [key] = selfServe({ [name]: value }, { [name]: '' }, { [name]: value });
      expect(key!.combinations.map((row) => [row[name], row['event_value']])).toEqual([
        [value, 6],
        ['', 3],
      ]);
    },
  );
});
