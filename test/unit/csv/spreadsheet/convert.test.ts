import { isAscii } from 'node:buffer';

import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';

import { convert, convertedName } from '../../../../src/csv/spreadsheet/convert.js';
import type { Answers } from '../../../../src/csv/spreadsheet/detection.js';
import { detect } from '../../../../src/csv/spreadsheet/detect.js';
import { type Encoding, textOf } from '../../../../src/csv/spreadsheet/text-encoding.js';
import {
  DATE_FORMS,
  type DateForm,
  type DecimalMark,
} from '../../../../src/csv/spreadsheet/value-forms.js';
import {
  COST,
  type Family,
  type FamilyName,
  familyNamed,
} from '../../../../src/domain/families/index.js';
import { csv, fileWith, goodRow, keysOf } from '../../../support/files/files.js';
import { validFile } from '../../../support/files/generated-files.js';
import {
  encoded,
  isInWindows1252,
  surveyedBytes,
} from '../../../support/files/spreadsheet-files.js';
import { parseStrictCsv } from '../../../support/model/model-csv.js';
import { runs } from '../../../support/model/property.js';

function convertedBytes(bytes: Uint8Array, family: Family, answers: Answers = {}): Buffer {
  return Buffer.concat(convert(surveyedBytes(bytes, family), answers));
}

function converted(text: string, answers: Answers = {}): string {
  return convertedBytes(Buffer.from(text), COST, answers).toString();
}

describe('a converted file', () => {
  const german =
    'Date;Channel;Currency;Campaign;Impressions;Clicks;Cost\r\n' +
    '01.02.2026;Newsletter;EUR;"Größe ""M""; rot";1.234;56;1.234,50\r\n' +
    '02.02.2026;Newsletter;EUR;"a, b";999;5;2,5\r\n';
  const plain =
    'date,channel,currency,campaign,impressions,clicks,cost\n' +
    '2026-02-01,Newsletter,EUR,"Größe ""M""; rot",1234,56,1234.50\n' +
    '2026-02-02,Newsletter,EUR,"a, b",999,5,2.5\n';

  test.each(['UTF-8', 'UTF-16LE', 'UTF-16BE', 'Windows-1252'] as const)(
    'has the form of the rules: from %s',
    (encoding) => {
      const bytes = convertedBytes(encoded(german, encoding), COST);
      expect(bytes.toString()).toBe(plain);
      expect(keysOf('cost', bytes)).toHaveLength(2);
      // There is nothing more to convert.
      expect(detect(surveyedBytes(bytes, COST)).changes).toEqual([]);
    },
  );

  test('has the other values as they stand, also wrong ones, and the rows in their order', () => {
    const [header, row] = fileWith('cost', {}).trimEnd().split('\n') as [string, string];
    const wrong = [
      header.replace('date', 'Date').replace('clicks', 'Klicks'),
      row.replace('EUR', 'eur').replace('2026-03-01', '31.02.2026'),
      '1,2',
      '',
      row.replace('Search', '" x "'),
    ];
    expect(converted(`${wrong.join('\n')}\n`).split('\n')).toEqual([
      header.replace('clicks', 'Klicks'),
      wrong[1],
      '1,2',
      '""',
      row.replace('Search', ' x '),
      '',
    ]);
  });

  test('keeps line breaks in quotes, and quotes what needs it now', () => {
    const text = fileWith('cost', {}).replaceAll(',', '\t').replace('Spring', '"a\r\nb"');
    expect(converted(text.replace('Search', 'x,y'))).toBe(
      fileWith('cost', { campaign: 'a\r\nb', channel: 'x,y' }),
    );
  });

  test('is not made while something is open', () => {
    const open = fileWith('cost', { date: '01/02/2026' });
    expect(() => converted(open)).toThrow('cannot be converted');
    expect(converted(open, { dates: 'DD/MM/YYYY' })).toContain('2026-02-01');
    expect(converted(open, { dates: 'MM/DD/YYYY' })).toContain('2026-01-02');
    expect(() => converted(`${open}"`, { dates: 'MM/DD/YYYY' })).toThrow('cannot be converted');
  });

  test('is made in pieces, so that no more of it than that is text', () => {
    const rows = Array.from({ length: 10_000 }, (_, i) => goodRow('cost', { campaign: `c${i}` }));
    const pieces = convert(surveyedBytes(Buffer.from(csv(rows).replaceAll(',', ';')), COST));
    expect(pieces).toHaveLength(3);
    expect(Buffer.concat(pieces).toString()).toBe(csv(rows));
  });

  test('is empty when the file is, and a header when that is all', () => {
    expect(converted('')).toBe('');
    expect(converted('Date;Channel\r\n')).toBe('date,channel\n');
  });
});

test.each([
  ['costs.csv', 'costs.converted.csv'],
  ['folder.csv/Costs.CSV.gz', 'folder.csv/Costs.converted.csv'],
  ['costs.txt', 'costs.converted.csv'],
  ['costs.2026', 'costs.2026.converted.csv'],
])('%s is converted to %s', (name, convertedTo) => {
  expect(convertedName(name)).toBe(convertedTo);
});

/** How a spreadsheet writes a file. */
interface Form {
  readonly encoding: Encoding;
  readonly hasByteOrderMark: boolean;
  readonly separator: string;
  readonly dates: DateForm | undefined;
  readonly decimal: DecimalMark;
  /** Blank: there is none. */
  readonly thousands: string;
  readonly isUpperCase: boolean;
  readonly lineBreak: string;
}

function formsWith(decimal: DecimalMark): fc.Arbitrary<Form> {
  return fc.record({
    encoding: fc.constantFrom<Encoding>('UTF-8', 'UTF-16LE', 'UTF-16BE', 'Windows-1252'),
    hasByteOrderMark: fc.boolean(),
    separator: fc.constantFrom(',', ';', '\t'),
    dates: fc.constantFrom(undefined, ...DATE_FORMS),
    decimal: fc.constant(decimal),
    thousands: fc.constantFrom('', ' ', '’', '\u00a0', decimal === 'comma' ? '.' : ','),
    isUpperCase: fc.boolean(),
    lineBreak: fc.constantFrom('\n', '\r\n'),
  });
}

const form = fc.oneof(formsWith('comma'), formsWith('point'));

/** The rows of a file as a spreadsheet writes them. */
function written(family: FamilyName, rows: readonly string[][], how: Form): Buffer {
  const kinds = rows[0]!.map((name) => {
    return familyNamed(family).columns.find((column) => column.name === name)!.kind;
  });
  const valueIn = (value: string, field: number): string => {
    if (kinds[field] === 'date') return dateIn(value, how.dates);
    return kinds[field] === 'count' || kinds[field] === 'amount' ? numberIn(value, how) : value;
  };
  const lines = rows.map((row, i) => {
    if (i > 0) return row.map(valueIn);
    return how.isUpperCase ? row.map((name) => name.toUpperCase()) : row;
  });
  const needsQuotes = (value: string): boolean =>
    value.includes(how.separator) || /["\r\n]/.test(value);
  const text = lines
    .map((line) =>
      line.map((value) => (needsQuotes(value) ? `"${value.replaceAll('"', '""')}"` : value)),
    )
    .map((line) => line.join(how.separator) + how.lineBreak)
    .join('');
  return encoded(text, how.encoding, how.hasByteOrderMark);
}

function dateIn(value: string, dates: DateForm | undefined): string {
  const [year, month, day] = value.split('-') as [string, string, string];
  if (dates === undefined) return value;
  return dates.replace('DD', day).replace('MM', month).replace('YYYY', year);
}

function numberIn(value: string, { decimal, thousands }: Form): string {
  const [, whole, rest] = /^([+-]?\d+)(.*)$/.exec(value) as unknown as [string, string, string];
  const isGrouped = /^[+-]?[1-9]\d{3,}$/.test(whole) && !/e/i.test(rest);
  const grouped = isGrouped ? whole.replace(/\B(?=(\d{3})+$)/g, thousands) : whole;
  return grouped + (decimal === 'comma' ? rest.replace('.', ',') : rest);
}

test('a valid file in any of these forms is converted back to its rows', () => {
  let files = 0;
  fc.assert(
    fc.property(validFile, form, ({ family, bytes }, how) => {
      const isWindows = how.encoding === 'Windows-1252';
      const rows = parseStrictCsv(new TextDecoder().decode(bytes))!.map((row) =>
        row.map((value) =>
          Array.from(value, (one) => (!isWindows || isInWindows1252(one) ? one : 'ü')).join(''),
        ),
      );
      const foreign = written(family, rows, how);
      // Few texts in Windows-1252 look like UTF-8, and cannot be told from it.
      fc.pre(!isWindows || isAscii(foreign) || textOf(foreign).encoding === 'Windows-1252');
      files++;
      const { dates, decimal } = how;
      const answers = { dates, decimal, counts: decimal };
      const back = convertedBytes(foreign, familyNamed(family), answers);
      expect(parseStrictCsv(back.toString())).toEqual(rows);
      expect(
        detect(surveyedBytes(back, familyNamed(family)), { decimal: 'point' }).changes,
      ).toEqual([]);
    }),
    runs(500),
  );
  expect(files).toBeGreaterThan(400);
});

test('a valid file needs no conversion', () => {
  fc.assert(
    fc.property(validFile, ({ family, bytes }) => {
      const found = detect(surveyedBytes(bytes, familyNamed(family)));
      expect([found.changes, found.reason]).toEqual([[], null]);
    }),
    runs(200),
  );
});
