import { describe, expect, test } from '@jest/globals';

import { dayOf } from '../../../../src/domain/days.js';
import { COST, SELF_SERVE, type FamilyName } from '../../../../src/domain/families/index.js';
import { plainForm, warningsOfFile } from '../../../../src/preview/warnings/file-warnings.js';
import { valuesOf } from '../../../../src/preview/warnings/file-values.js';
import type { Warning } from '../../../../src/preview/answer.js';
import type { WarningThresholds } from '../../../../src/domain/warning-thresholds.js';
import { csv, goodRow, THRESHOLDS, type Values } from '../../../support/files/files.js';

const TODAY = dayOf('2026-03-10');

/** The warnings about a valid file of the rows. */
function warnings(
  family: FamilyName,
  rows: readonly Values[],
  set: Partial<WarningThresholds> = {},
): Warning[] {
  const file = Buffer.from(csv(rows.map((row) => goodRow(family, row))));
  const of = family === 'cost' ? COST : SELF_SERVE;
  // In parts, as files come.
  const parts = [file.subarray(0, 7), file.subarray(7)];
  return warningsOfFile(of, valuesOf(of, parts), TODAY, { ...THRESHOLDS, ...set });
}

const campaigns = (count: number): Values[] =>
  Array.from({ length: count }, (_, index) => ({ campaign: `c${index}` }));

describe('a file is warned about', () => {
  test('not at all when nothing is strange', () => {
    expect(warnings('cost', campaigns(3))).toEqual([]);
    expect(warnings('self-serve', [{}, { event_value: '4' }])).toEqual([]);
  });

  test('for values that differ in case, width or white space', () => {
    const channels = ['Search', 'search', 'Ｓearch', 'Sea rch', 'Social'];
    const rows = channels.map((channel, index) => ({ channel, os_name: `os ${index}` }));
    expect(warnings('self-serve', rows)).toEqual([
      {
        code: 'similar-value',
        column: 'channel',
        rows: [2, 3, 4, 5],
        message:
          '"Search", "search", "Ｓearch" and 1 more differ only in case, width or white space',
      },
    ]);
    expect(plainForm('Ｇoogle\u3000 ADS')).toBe('googleads');
    expect(plainForm('Cafe\u0301')).toBe('caf\u00e9');
    expect(plainForm('ﾃﾞｰﾀ')).toBe(plainForm('データ'));
  });

  test('for 20 groups of similar values at most', () => {
    const groups = Array.from({ length: 21 }, (_, at) => [`Shop ${at}`, `shop ${at}`]);
    const rows = groups.flat().map((channel) => ({ channel }));
    const found = warnings('self-serve', rows);
    expect(found).toHaveLength(20);
    expect(found.at(-1)).toMatchObject({
      rows: [40, 41],
      message: '"Shop 19", "shop 19" differ only in case, width or white space',
    });
  });

  test('for dates of cost to come, and old ones, not for those of today and two years ago', () => {
    const days = ['2026-03-10', '2026-03-11', '2024-03-09', '2024-03-08'];
    const rows = days.map((date, index) => ({ date, campaign: `c${index}` }));
    const found = warnings('cost', rows).filter(({ code }) => code.endsWith('-date'));
    expect(found).toEqual([
      {
        code: 'future-date',
        column: 'date',
        rows: [3],
        message: '1 row is of days to come: "2026-03-11"',
      },
      {
        code: 'old-date',
        column: 'date',
        rows: [5],
        message: '1 row is of days more than 731 days ago: "2024-03-08"',
      },
    ]);
  });

  test('for dates of cost that are older than is set', () => {
    const rows = [{ date: '2026-02-08' }, { date: '2026-02-07' }];
    expect(warnings('cost', rows, { oldDays: 30 })).toEqual([
      {
        code: 'old-date',
        column: 'date',
        rows: [3],
        message: '1 row is of days more than 30 days ago: "2026-02-07"',
      },
    ]);
  });

  test('for rows that agree on every group-by column, and names the later ones, 20 at most', () => {
    const rows = [...campaigns(2), ...campaigns(2), ...Array<Values>(30).fill({ campaign: 'c0' })];
    const [found] = warnings('cost', rows);
    expect(found).toEqual({
      code: 'same-combination',
      column: 'file',
      rows: Array.from({ length: 20 }, (_, index) => index + 4),
      message:
        '32 rows agree with an earlier one in everything but the numbers; reports show their sum',
    });
    expect(warnings('self-serve', [{}, {}])).toEqual([]);
  });

  test('for combinations of zeros only', () => {
    const zero = { impressions: '0', clicks: '000', cost: '-0.0' };
    const rows: Values[] = [
      { ...zero, campaign: 'a' },
      // Also where the first row, or a later one, is the only one that is not zero.
      ...[{ campaign: 'b' }, { ...zero, campaign: 'b' }],
      ...[{ ...zero, campaign: 'c' }, { campaign: 'c' }, { ...zero, campaign: 'c' }],
      { ...zero, campaign: 'a' },
    ];
    const found = warnings('cost', rows).find(({ code }) => code === 'deletions');
    expect(found).toEqual({
      code: 'deletions',
      column: 'file',
      rows: [2, 8],
      message: '1 combination has zeros only, and will not be in reports',
    });
  });

  test('for days without a row between the first and the last of three or more', () => {
    const of = (...days: string[]): Values[] => days.map((day) => ({ date: `2026-03-0${day}` }));
    expect(warnings('self-serve', of('1', '2'))).toEqual([]);
    expect(warnings('self-serve', of('1', '2', '3'))).toEqual([]);
    expect(warnings('self-serve', of('3', '1'), { completeDays: 4 })).toEqual([]);
    expect(warnings('self-serve', of('3', '1'))).toEqual([
      {
        code: 'missing-days',
        column: 'date',
        rows: [],
        message: 'the file has no row of the day "2026-03-02" between its first and its last',
      },
    ]);
    expect(warnings('self-serve', of('1', '8'))[0]!.message).toBe(
      'the file has no row of 6 days "2026-03-02", "2026-03-03", "2026-03-04" and 3 more between its first and its last',
    );
  });
});
