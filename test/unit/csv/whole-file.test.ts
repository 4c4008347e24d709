import { describe, expect, test } from '@jest/globals';

import { csv, fileWith, goodRow, keysOf, reasonFor, verdictOn } from '../../support/files/files.js';

const HEADER = Object.keys(goodRow('cost')).join(',');
const ROW = Object.values(goodRow('cost')).join(',');

describe('the number of data rows', () => {
  test('of a cost file is at most 10,000', () => {
    const rows = (count: number): string => `${HEADER}\n${`${ROW}\n`.repeat(count)}`;
    expect(keysOf('cost', rows(10_000))[0]!.rows).toHaveLength(10_000);
    expect(keysOf('cost', rows(10_000) + '\n')).toHaveLength(1);
    expect(reasonFor('cost', rows(10_001))).toEqual({
      file: ['the file has 10001 data rows, at most 10000 are allowed'],
    });
  });

  test('of a self-serve file has no limit of its own', () => {
    const [header, row] = fileWith('self-serve', {}).trimEnd().split('\n') as [string, string];
    expect(keysOf('self-serve', `${header}\n${`${row}\n`.repeat(30_000)}`)[0]!.rows).toHaveLength(
      30_000,
    );
  });

  test('of too long a file does not keep its rows from being checked', () => {
    const file = `${HEADER}\n${`${ROW}\n`.repeat(10_000)}${ROW.replace('EUR', 'eur')}\n`;
    expect(Object.keys(reasonFor('cost', file))).toEqual(['currency', 'file']);
  });

  test.each([HEADER, `${HEADER}\n`, `${HEADER}\r\n`, `${HEADER}\n\n`])(
    'is at least one: %j',
    (file) => {
      expect(reasonFor('cost', file)).toEqual({ file: ['the file has no data rows'] });
    },
  );

  test.each(['', '\n', '\r\n', '\uFEFF', '\uFEFF\n'])('of an empty file is told of: %j', (file) => {
    for (const family of ['cost', 'self-serve'] as const) {
      expect(reasonFor(family, file)).toEqual({ file: ['the file is empty'] });
    }
  });
});

describe('a row with another number of fields than the header', () => {
  test.each([
    ['one too few', ROW.slice(0, ROW.lastIndexOf(',')), 'row 2: has 6 fields, the header has 7'],
    ['one too many', `${ROW},`, 'row 2: has 8 fields, the header has 7'],
    ['one in all', 'x', 'row 2: has 1 field, the header has 7'],
    ['none', '\n', 'row 2: has 1 field, the header has 7'],
    ['a thousand', ','.repeat(999), 'row 2: has 1000 fields, the header has 7'],
  ])('is refused: %s', (_name, row, message) => {
    expect(reasonFor('cost', `${HEADER}\n${row}\n`)).toEqual({ file: [message] });
  });

  test('has no messages about its values', () => {
    expect(reasonFor('cost', `${HEADER}\nx,y\n${ROW}\n`)).toEqual({
      file: ['row 2: has 2 fields, the header has 7'],
    });
  });
});

describe('malformed CSV', () => {
  test.each([
    ['Spri"ng', 'a quote stands inside a field that does not begin with one'],
    ['"Spring"s', 'text follows the closing quote of a field'],
    ['"Spring', 'a quoted field is not closed'],
    ['Spr\ring', 'a carriage return stands without a line feed'],
  ])('fails the file: %j', (campaign, message) => {
    const file = `${HEADER}\n${ROW}\n${ROW.replace('Spring', campaign)}\n`;
    expect(reasonFor('cost', file)).toEqual({ file: [`row 3: ${message}`] });
  });

  test('of another separator than the comma is told of as unknown columns', () => {
    const file = `${HEADER}\n${ROW}\n`.replaceAll(',', ';');
    expect(reasonFor('cost', file)['clicks']).toEqual(['row 1: the required column is missing']);
  });
});

describe('a file', () => {
  test('with CRLF, LF, quotes and a byte order mark means what the plain one means', () => {
    const plain = csv([goodRow('cost'), goodRow('cost', { campaign: 'B' })]);
    const [header, first, second] = plain.trimEnd().split('\n') as [string, string, string];
    const quotedRow = second
      .split(',')
      .map((value) => `"${value}"`)
      .join(',');
    const other = `\uFEFF${header}\r\n${first}\n${quotedRow}\r\n\r\n`;
    expect(keysOf('cost', other)).toEqual(keysOf('cost', plain));
  });

  test('keeps identical rows, all of them', () => {
    const rows = Array.from({ length: 3 }, () => goodRow('cost'));
    expect(keysOf('cost', csv(rows))).toMatchObject([
      { rows: [{}, {}, {}], totals: [{ impressions: 300n, clicks: 30n, cost: 4.5 }] },
    ]);
  });

  test.each([1, 511, 512, 513, 1_024, 2_000])(
    'fails as a whole by one bad value in row %d',
    (at) => {
      const rows = Array.from({ length: 2_000 }, (_, i) =>
        i === at - 1 ? ROW.replace('100', '-100') : ROW,
      );
      expect(reasonFor('cost', `${HEADER}\n${rows.join('\n')}`)).toEqual({
        impressions: [
          `row ${at + 1}: "-100" is not a whole number from 0 to 999999999999, digits only`,
        ],
      });
    },
  );

  test('is judged by itself, whatever came before it', () => {
    const good = csv([goodRow('cost', { term: 't' }), goodRow('cost', { term: 'u' })]);
    const expected = keysOf('cost', good);
    const large = `${HEADER}\n${Array.from({ length: 9_000 }, (_, i) => ROW.replace('Spring', `c${i}`)).join('\n')}`;
    for (const before of [
      large,
      large + '\nx',
      '',
      fileWith('cost', { cost: 'x', country: 'de' }),
    ]) {
      verdictOn('cost', before);
      expect(keysOf('cost', good)).toEqual(expected);
    }
  });

  test('is judged the same when its bytes lie amid others', () => {
    const bytes = Buffer.from(`"x,${fileWith('cost', { channel: 'Search' })},"`);
    const file = bytes.subarray(3, bytes.length - 2);
    expect(verdictOn('cost', file).valid).toBe(true);
  });
});

test('a row has as many fields as the header, however many columns that has', () => {
  const columns = (count: number): string => Array.from({ length: count }, () => 'x').join(',');
  const header = Array.from({ length: 135 }, (_, i) => `c${i}`).join(',');
  const { file } = reasonFor('cost', `${header}\n${columns(128)}\n${columns(135)}\n`);
  expect(file!.filter((message) => message.startsWith('row 1:')).length).toBeGreaterThan(0);
  expect(file!.filter((message) => !message.startsWith('row 1:'))).toEqual([
    'row 2: has 128 fields, the header has 135',
  ]);
});
