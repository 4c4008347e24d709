import { describe, expect, test } from '@jest/globals';

import { COST } from '../../../src/domain/families/index.js';
import { prepareUpload } from '../../../src/csv/prepare-upload.js';
import { reasonOfFile } from '../../../src/csv/findings.js';
import {
  csv,
  FACTS,
  fileWith,
  goodRow,
  reasonFor,
  verdictOn,
  type Values,
  withoutHint,
} from '../../support/files/files.js';

describe('a message', () => {
  test('names the row as a spreadsheet shows it, the value and the rule', () => {
    const rows = [goodRow('cost'), goodRow('cost', { date: '2026-13-01' }), goodRow('cost')];
    expect(reasonFor('cost', csv(rows))).toEqual({
      date: ['row 3: "2026-13-01" is not a date of the form YYYY-MM-DD'],
    });
  });

  test.each<[column: string, value: string, message: string]>([
    ['date', '', 'row 2: "" is blank, a value is required'],
    ['date', '1969-01-01', 'row 2: "1969-01-01" is outside 1970-01-01 to 2149-06-06'],
    ['campaign', '', 'row 2: "" is blank, a value is required'],
    ['ad_group', '', 'row 2: "" is blank, a value is required'],
    ['currency', 'usd', 'row 2: "usd" is not an ISO 4217 currency code in uppercase'],
    ['country', 'US', 'row 2: "US" is not a two-letter country code in lowercase'],
    ['clicks', '1.5', 'row 2: "1.5" is not a whole number from 0 to 999999999999, digits only'],
    ['cost', '1,5', 'row 2: "1,5" is not a number such as 12, -3.5 or 1.5e3'],
  ])('of a cost file about %s %j', (column, value, message) => {
    expect(withoutHint(reasonFor('cost', fileWith('cost', { [column]: value })))).toEqual({
      [column]: [message],
    });
  });

  test.each<[column: string, value: string, message: string]>([
    ['event_category', 'sign up', 'row 2: "sign up" is not 1 to 256 English letters and digits'],
    ['event_source', 'App', 'row 2: "App" is not one of app, web, tracking_link, sms_link'],
    ['is_first_event_per_user_id', 'yes', 'row 2: "yes" is not true or false'],
    ['date', '2025-12-07', 'row 2: "2025-12-07" is outside 2025-12-08 to 2026-03-10'],
  ])('of a self-serve file about %s %j', (column, value, message) => {
    expect(reasonFor('self-serve', fileWith('self-serve', { [column]: value }))).toEqual({
      [column]: [message],
    });
  });

  test('counts rows, not lines: a line break in quotes adds none, an empty line is a row', () => {
    const rows = [goodRow('cost', { campaign: 'a\nb\r\nc' }), goodRow('cost', { clicks: 'x' })];
    const file = csv(rows) + '\n' + csv([goodRow('cost', { clicks: 'y' })]).split('\n')[1]!;
    expect(reasonFor('cost', file)).toEqual({
      clicks: [
        'row 3: "x" is not a whole number from 0 to 999999999999, digits only',
        'row 5: "y" is not a whole number from 0 to 999999999999, digits only',
      ],
      file: ['row 4: has 1 field, the header has 7'],
    });
  });

  test('shows 64 characters of a value, and an ellipsis for the rest', () => {
    for (const character of ['x', 'é', '日', '😀']) {
      const shown = (length: number): string => {
        const file = fileWith('cost', { currency: character.repeat(length) });
        return /"(.*)"/.exec(reasonFor('cost', file)['currency']![0]!)![1]!;
      };
      expect(shown(64)).toBe(character.repeat(64));
      expect(shown(65)).toBe(character.repeat(64) + '…');
      expect(shown(20_000)).toBe(character.repeat(64) + '…');
    }
  });

  test('shows quotes, line breaks and control characters as they are', () => {
    const file = fileWith('cost', { currency: '"\n\u0001\\' });
    expect(reasonFor('cost', file)['currency']![0]).toContain('""\n\u0001\\" is not');
  });
});

describe('a reason', () => {
  test('has every column that is wrong, and for each every row that is', () => {
    const bad = { date: 'x', clicks: '-1', cost: 'NaN' };
    const rows = [goodRow('cost', bad), goodRow('cost'), goodRow('cost', bad)];
    const reason = reasonFor('cost', csv(rows));
    expect(Object.keys(reason)).toEqual(['date', 'clicks', 'cost']);
    for (const messages of Object.values(reason)) {
      expect(messages.map((message) => message.slice(0, 7))).toEqual(['row 2: ', 'row 4: ']);
    }
  });

  test('has 20 messages a column, and a 21st that says how many more', () => {
    const bad = (count: number): string => csv(Array(count).fill(goodRow('cost', { cost: 'x' })));
    expect(reasonFor('cost', bad(20))['cost']).toHaveLength(20);
    const messages = reasonFor('cost', bad(1_520))['cost']!;
    expect(messages).toHaveLength(21);
    expect(messages[19]).toMatch(/^row 21: /);
    expect(messages[20]).toBe('and 1500 more');
  });

  test('counts malformed rows the same way, under file', () => {
    const messages = reasonFor('cost', csv([goodRow('cost')]) + 'x\n'.repeat(25))['file']!;
    expect(messages).toHaveLength(21);
    expect(messages[20]).toBe('and 5 more');
  });

  test('has at most 50 keys, and says how many unknown names it leaves out', () => {
    const unknown = Array.from({ length: 100 }, (_, i) => `unknown_${i}`);
    const reason = reasonFor('cost', `${unknown.join(',')}\n${'a,'.repeat(99)}a\n`);
    expect(Object.keys(reason).length).toBeLessThanOrEqual(50);
    for (const { name, required } of COST.columns) {
      if (required) expect(reason).toHaveProperty(name);
    }
    const named = Object.keys(reason).filter((name) => name.startsWith('unknown_')).length;
    expect(reason['file']).toEqual([`row 1: ${100 - named} more column names are not allowed`]);
  });

  test('says in any case what is wrong with the file as a whole', () => {
    const rows = csv(Array(10_001).fill(goodRow('cost')));
    const [header, ...good] = rows.trimEnd().split('\n');
    const unknown = Array.from({ length: 80 }, (_, i) => `u${i}`).join(',');
    // Semicolons: a hint at the end of a reason says what to do.
    const wrong = 'x;1;2\n'.repeat(25);
    const file = `${header},${unknown}\n${wrong}${good.join('\n')}\n`;
    const messages = reasonFor('cost', file)['file']!;
    expect(messages).toHaveLength(21);
    expect(messages).toContain('the file has 10026 data rows, at most 10000 are allowed');
    expect(messages).toContainEqual(expect.stringMatching(/^row 1: \d+ more column names/));
    // 10,026 rows of another width, and two messages of the 20 are not about rows.
    expect(messages[20]).toBe(`and ${10_026 - 18} more`);
  });

  test.each([
    ['three-byte characters', '日'],
    ['four-byte characters', '😀'],
    ['characters that JSON escapes to six', '\u0001'],
    ['quotes', '"'],
    ['ASCII', 'x'],
  ])('has at most 64 KiB of the longest names and values, in %s', (_name, character) => {
    const long = character.repeat(300);
    const unknown: Values = Object.fromEntries(
      Array.from({ length: 40 }, (_, i) => [`${character.repeat(61)}${i + 100}`, 'a']),
    );
    const known = Object.fromEntries(COST.columns.map(({ name }) => [name, long]));
    const file = csv(Array.from({ length: 50 }, () => ({ ...unknown, ...known })));
    const verdict = verdictOn('cost', file);
    if (verdict.valid) throw new Error('the file was accepted');
    const size = Buffer.byteLength(verdict.reason);
    // The reason is not much shorter either: it shows as many mistakes as fit.
    expect(size).toBeGreaterThan(40 * 1024);
    expect(size).toBeLessThanOrEqual(64 * 1024);
    const reason = JSON.parse(verdict.reason) as Record<string, string[]>;
    expect(Object.keys(reason).length).toBeLessThanOrEqual(50);
    for (const { name } of COST.columns) expect(reason[name]!.at(-1)).toMatch(/^and \d+ more$/);
  });

  test('of a file that the gateway found fault with is that finding alone', () => {
    const reason = reasonFor('cost', 'whatever', { finding: 'the gzip data is broken' });
    expect(reason).toEqual({ file: ['the gzip data is broken'] });
    expect(reasonOfFile('the gzip data is broken')).toBe(JSON.stringify(reason));
  });
});

test('a listener is told of every finding about a row, also of those that the reason leaves out', () => {
  const rows = Array.from({ length: 1_000 }, () => goodRow('cost', { cost: 'x' }));
  const told: [column: string, row: number, message: string][] = [];
  prepareUpload(COST, [Buffer.from(csv(rows) + 'a\n')], FACTS, {
    listener: (...finding) => {
      told.push(finding);
    },
  });
  expect(told).toHaveLength(1_001);
  const last = told.filter(([, row]) => row > 1_000);
  expect(last).toContainEqual(['file', 1_002, 'has 1 field, the header has 7']);
  expect(last).toContainEqual(['cost', 1_001, '"x" is not a number such as 12, -3.5 or 1.5e3']);
});
