import { describe, expect, test } from '@jest/globals';

import { csv, goodRow, keysOf, verdictOn, type Values } from '../../support/files/files.js';

const row = (values: Values): Values => goodRow('cost', { ad_group: 'a', ...values });

/** Returns the keys in stored order, each with the ad groups of its rows. */
function grouped(rows: readonly Values[]): [string, string[]][] {
  return keysOf('cost', csv(rows)).map(({ key, rows: stored }) => [
    key.join('|'),
    stored.map(({ ad_group }) => String(ad_group)),
  ]);
}

describe('rows are grouped by their overwrite key', () => {
  test('when the rows of each key follow one another', () => {
    const rows = [
      row({ campaign: 'A', ad_group: '1' }),
      row({ campaign: 'A', ad_group: '2' }),
      row({ campaign: 'B', ad_group: '3' }),
    ];
    expect(grouped(rows)).toEqual([
      ['2026-03-01|Search|A', ['1', '2']],
      ['2026-03-01|Search|B', ['3']],
    ]);
  });

  test('when the keys interleave: in the order of the file within each key', () => {
    const rows = Array.from({ length: 9 }, (_, i) =>
      row({ campaign: 'ABC'[i % 3]!, ad_group: String(i) }),
    );
    expect(grouped(rows)).toEqual([
      ['2026-03-01|Search|A', ['0', '3', '6']],
      ['2026-03-01|Search|B', ['1', '4', '7']],
      ['2026-03-01|Search|C', ['2', '5', '8']],
    ]);
  });

  test('with every column of a row staying together when keys interleave', () => {
    const values = (i: number): Values => ({
      ...goodRow('self-serve', { channel: 'XYZ'[(i * 7) % 3]!, event_value: String(i) }),
      campaign: 'c'.repeat(i % 200),
      content: i % 5 === 0 ? '' : `content ${i}`,
      currency: i % 2 === 0 ? 'EUR' : '',
      is_first_event_per_user_id: ['true', 'false', ''][i % 3]!,
    });
    const rows = Array.from({ length: 1_500 }, (_, i) => values(i));
    const stored = keysOf('self-serve', csv(rows)).flatMap((key) => key.rows);
    expect(stored).toHaveLength(rows.length);
    for (const each of stored) {
      const {
        campaign,
        content,
        currency,
        is_first_event_per_user_id: flag,
      } = values(Number(each['event_value']));
      expect(each).toMatchObject({ campaign, content, currency });
      expect(each['is_first_event_per_user_id']).toBe({ true: true, false: false }[flag!] ?? null);
    }
  });

  test('by the day, the channel and the campaign, each as a whole and with its case', () => {
    const keys: Values[] = [
      { date: '2026-03-01', channel: 'ab', campaign: 'c' },
      { date: '2026-03-01', channel: 'a', campaign: 'bc' },
      { date: '2026-03-01', channel: 'a', campaign: 'b' },
      { date: '2026-03-02', channel: 'a', campaign: 'b' },
      { date: '2026-03-01', channel: 'b', campaign: 'a' },
      { date: '2026-03-01', channel: 'A', campaign: 'b' },
      { date: '2026-03-01', channel: 'a', campaign: 'B' },
      { date: '2026-03-01', channel: 'é', campaign: 'b' },
      { date: '2026-03-01', channel: 'e\u0301', campaign: 'b' },
      { date: '2026-03-01', channel: 'a', campaign: 'b\u0001' },
    ];
    expect(grouped([...keys, ...keys].map(row))).toHaveLength(keys.length);
  });

  test('by what a value is, not by how it is written', () => {
    const file = csv([row({ campaign: 'a"b' }), row({ campaign: 'HERE' })]).replace(
      'HERE',
      '"a""b"',
    );
    expect(keysOf('cost', file)).toHaveLength(1);
  });

  test('not by currency, metrics or other dimensions', () => {
    const rows = [
      row({ currency: 'EUR' }),
      row({ currency: 'USD' }),
      row({ ad_group: 'b', clicks: '0' }),
    ];
    expect(grouped(rows)).toHaveLength(1);
  });

  test('in a self-serve file by the event_category, with its campaigns side by side', () => {
    const rows = ['A', 'B', 'A'].map((event_category, i) =>
      goodRow('self-serve', { event_category, campaign: String(i) }),
    );
    expect(
      keysOf('self-serve', csv(rows)).map(({ key, rows: stored }) => [key[2], stored.length]),
    ).toEqual([
      ['A', 2],
      ['B', 1],
    ]);
  });

  test.each([1, 512, 1_024, 1_025, 5_000])('when there are %d keys, each twice', (count) => {
    const once = Array.from({ length: count }, (_, i) =>
      row({ channel: `ch ${i % 7}`, campaign: `${i}` }),
    );
    const keys = keysOf('cost', csv([...once, ...once]));
    expect(keys).toHaveLength(count);
    expect(
      keys.every(({ rows: stored }, i) => stored.length === 2 && keys[i]!.key[2] === `${i}`),
    ).toBe(true);
  });

  test('when a file has more keys and rows than the memory kept from file to file', () => {
    const count = 600_000;
    const lines = Array.from({ length: count }, (_, i) => `2026-03-01,${i % 100_000},a,${i}`);
    const large = `date,channel,event_category,event_value\n${lines.join('\n')}`;
    const verdict = verdictOn('self-serve', large);
    if (!verdict.valid) throw new Error(verdict.reason);
    expect(verdict.upload.keys).toBe(100_000);
    const { csvRows, combinations } = verdict.upload;
    expect(csvRows.counts.every((count) => count === 6)).toBe(true);
    // The metric column begins with the rows of the first key.
    const values = new Float64Array(csvRows.columns[0]!.buffer, 0, 7);
    expect([...values]).toEqual([0, 100_000, 200_000, 300_000, 400_000, 500_000, 1]);
    expect(combinations.counts.every((count) => count === 1)).toBe(true);
    const sums = new Float64Array(combinations.columns[0]!.buffer, 0, 2);
    expect([...sums]).toEqual([1_500_000, 1_500_006]);
    expect(grouped([row({}), row({ campaign: 'B' }), row({})])).toHaveLength(2);
  });
});
