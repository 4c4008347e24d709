import { readFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';

import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';

import { csv, goodRow, keysOf } from '../../../../support/files/files.js';
import { encoded } from '../../../../support/files/spreadsheet-files.js';
import { AMBIGUOUS, CONVERTED, ConvertFolder, GERMAN } from './converting.js';

const CHANGES =
  '  Windows-1252 becomes UTF-8: "Größe" (row 2)\n' +
  '  semicolons become commas\n' +
  '  column names get lowercase letters: Date -> date, Channel -> channel, ' +
  'Currency -> currency, and 4 more\n' +
  '  date: DD.MM.YYYY becomes YYYY-MM-DD: 13.02.2026 -> 2026-02-13 (row 2), ' +
  '14.02.2026 -> 2026-02-14 (row 3)\n' +
  '  impressions: written with digits only: 1.234 -> 1234 (row 2)\n' +
  '  cost: written with a decimal point, without separators of thousands: 1,5 -> 1.5 (row 2), ' +
  '2.345,5 -> 2345.5 (row 3)\n';
const QUESTIONS = [
  'date: 01/02/2026 (row 2) is 2026-01-02 as MM/DD/YYYY, 2026-02-01 as DD/MM/YYYY\n',
  'cost: 1,234 (row 2) is 1.234 with a decimal comma, 1234 with a decimal point\n',
];

let folder: ConvertFolder;
beforeAll(async () => {
  folder = await ConvertFolder.make();
});
afterEach(() => folder.clear());
afterAll(() => folder.remove());

test('it shows what it changes, and writes a file that is valid', async () => {
  const content = encoded(GERMAN, 'Windows-1252');
  expect(await folder.convert(content, ['--yes'])).toEqual({
    code: 0,
    out: `file.csv: 2 rows, valid once converted\n${CHANGES}`,
    err: 'wrote file.converted.csv\n',
    asked: [],
  });
  expect(await folder.written()).toBe(CONVERTED);
  expect(keysOf('cost', CONVERTED)).toHaveLength(2);
  expect(await readFile(folder.input)).toEqual(content);
});

test('a workbook is told from a text, not asked for its family', async () => {
  const workbook = Buffer.from('504b030414000600080000002100ff818d8f909d', 'hex');
  const { code, err } = await folder.convert(workbook);
  expect([code, err]).toEqual([1, expect.stringContaining('save a workbook as CSV first')]);
});

test.each([
  ['UTF-16 with tabs', encoded(GERMAN.replaceAll(';', '\t'), 'UTF-16LE')],
  ['gzip', gzipSync(GERMAN)],
])('%s is converted', async (_name, content) => {
  expect((await folder.convert(content, ['--yes'])).code).toBe(0);
  expect(await folder.written()).toBe(CONVERTED);
});

describe('somebody at the terminal', () => {
  test('is asked before the file is written', async () => {
    const no = await folder.convert(GERMAN, [], ['']);
    expect([no.code, no.err]).toEqual([1, 'error: nothing was written\n']);
    expect(await folder.written()).toBeUndefined();
    const yes = await folder.convert(GERMAN, [], ['y']);
    expect([yes.code, yes.asked]).toEqual([0, ['Write file.converted.csv? [y/N] ']]);
    expect(await folder.written()).toBe(CONVERTED);
  });

  test('is asked what is ambiguous', async () => {
    const answers = ['dd/mm/yyyy', 'point', 'yes'];
    const { code, err, asked } = await folder.convert(AMBIGUOUS, [], answers);
    expect([code, asked]).toEqual([
      0,
      ['MM/DD/YYYY or DD/MM/YYYY? ', 'comma or point? ', 'Write file.converted.csv? [y/N] '],
    ]);
    expect(err).toBe(`${QUESTIONS.join('')}wrote file.converted.csv\n`);
    expect(await folder.written()).toContain('2026-02-01,Search,EUR,Spring,100,10,1234\n');
  });

  test('who gives another answer has nothing written', async () => {
    const { code, err } = await folder.convert(AMBIGUOUS, [], ['what?']);
    expect([code, err]).toEqual([1, `${QUESTIONS[0]!}error: nothing was written\n`]);
    expect(await folder.written()).toBeUndefined();
  });
});

test('what one row decides for others is shown with it', async () => {
  const { out } = await folder.convert(GERMAN.replace(';7;', ';1.000;'), ['--yes']);
  expect(out).toContain(
    '  impressions: read as a number with a decimal comma because of "1.234" in row 2: ' +
      '1.000 -> 1000 (row 3)\n',
  );
});

describe('without a terminal', () => {
  test('it shows what it would change, and names the option that it lacks', async () => {
    const { code, out, err } = await folder.convert(encoded(GERMAN, 'Windows-1252'));
    expect([code, err]).toEqual([2, 'error: there is nobody to ask: give --yes to go on\n']);
    expect(out).toContain(CHANGES);
    expect(await folder.written()).toBeUndefined();
  });

  test('it names the options for what is ambiguous', async () => {
    const lines = QUESTIONS.map((question) => `  ${question}`);
    for (const args of [[], ['--yes']]) {
      expect(await folder.convert(AMBIGUOUS, args)).toMatchObject({
        code: 2,
        out: `file.csv: 1 rows, ambiguous\n${lines.join('')}`,
        err:
          'error: file.csv is ambiguous: give --dates MM/DD/YYYY or --dates DD/MM/YYYY, ' +
          'and --decimal comma or --decimal point\n',
      });
    }
    expect(await folder.written()).toBeUndefined();
  });

  test('the options answer', async () => {
    const args = ['--dates', 'MM/DD/YYYY', '--decimal', 'comma', '--counts', 'point', '--yes'];
    expect((await folder.convert(AMBIGUOUS.replace('100', '"1,000"'), args)).code).toBe(0);
    expect(await folder.written()).toContain('2026-01-02,Search,EUR,Spring,1000,10,1.234\n');
  });
});

describe('nothing is written', () => {
  test('of a file that is valid as it is', async () => {
    const file = csv([goodRow('cost', { cost: '1.234' })]);
    const { code, out, err } = await folder.convert(file);
    expect([code, out, err]).toEqual([0, 'file.csv: 1 rows, valid as it is\n', '']);
    expect(await folder.written()).toBeUndefined();
  });

  test.each<[string, string | Uint8Array, string, string, string]>([
    [
      'would still be wrong',
      GERMAN.replace('EUR', 'eur'),
      'file.csv: 2 rows, 1 of them wrong once converted\n',
      '  currency\n    row 2: "eur" is not an ISO 4217 currency code in uppercase\n',
      'error: file.csv would not be valid once converted, nothing was written\n',
    ],
    [
      'names an integrated channel',
      GERMAN.replace('Search', 'Acme Ads'),
      'file.csv: 2 rows, 1 of them wrong once converted\n',
      '    row 2: "Acme Ads" is a channel with cost integration, its cost cannot be uploaded\n',
      'error: file.csv would not be valid once converted, nothing was written\n',
    ],
    [
      'is UTF-8 but for a byte',
      Buffer.from(GERMAN.replace('Größe', 'Größe?')).map((byte) => (byte === 0x3f ? 0xe9 : byte)),
      'file.csv: 2 rows, cannot be converted\n',
      '  file\n    row 2: is not valid UTF-8, the encoding of the file\n',
      'error: file.csv cannot be converted, nothing was written\n',
    ],
    [
      'contradicts itself',
      GERMAN.replace('2.345,5', '2.5'),
      'file.csv: 2 rows, cannot be converted\n',
      '  cost\n    row 3: "2.5" contradicts "1,5" in row 2: no form fits both\n',
      'error: file.csv cannot be converted, nothing was written\n',
    ],
    [
      'is wrong in other ways',
      csv([goodRow('cost', { currency: 'eur', cost: '1.234' })]),
      'file.csv: 1 rows, 1 of them wrong, nothing to convert\n',
      '  currency\n    row 2: "eur" is not an ISO 4217 currency code in uppercase\n',
      'error: file.csv is not valid, and there is nothing to convert\n',
    ],
  ])('of a file that %s', async (_name, content, head, mistake, error) => {
    const { code, out, err } = await folder.convert(content, ['--yes']);
    expect([code, err]).toEqual([1, error]);
    expect(out.startsWith(head)).toBe(true);
    expect(out).toContain(mistake);
    expect(await folder.written()).toBeUndefined();
  });

  test('of a file whose values do not have the form of the option', async () => {
    const { code, out } = await folder.convert(GERMAN, ['--yes', '--dates', 'MM/DD/YYYY']);
    expect(code).toBe(1);
    expect(out).toContain('row 2: "13.02.2026" is not a date of the form MM/DD/YYYY\n');
  });
});
