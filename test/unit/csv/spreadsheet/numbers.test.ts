import { describe, expect, test } from '@jest/globals';

import type { Answers, Detection } from '../../../../src/csv/spreadsheet/detection.js';
import { detect } from '../../../../src/csv/spreadsheet/detect.js';
import { COST } from '../../../../src/domain/families/index.js';
import { csv, goodRow, type Reason } from '../../../support/files/files.js';
import { surveyedBytes } from '../../../support/files/spreadsheet-files.js';

function ofColumn(column: string, values: readonly string[], answers: Answers = {}): Detection {
  // The other numbers are the same in every form.
  const rows = values.map((value) => goodRow('cost', { cost: '2', [column]: value }));
  return detect(surveyedBytes(Buffer.from(csv(rows)), COST), answers);
}

/** What becomes of the values that change, of the first three. */
function after({ changes }: Detection): string[] {
  return changes.flatMap(({ examples }) => examples.map((example) => example.after));
}

const reasonIn = ({ reason }: Detection): Reason => JSON.parse(reason ?? '{}') as Reason;

describe('an amount', () => {
  test.each([
    ['1,5', '1.5'],
    ['-1,5', '-1.5'],
    ['+0,123', '+0.123'],
    ['1234,5', '1234.5'],
    ['1.234,5', '1234.5'],
    ['-1.234.567,89', '-1234567.89'],
    ['1.234.567', '1234567'],
    ['1 234,5', '1234.5'],
    ['1\u00a0234\u00a0567', '1234567'],
    ['1\u202f234,50', '1234.50'],
    ['1’234.50', '1234.50'],
    ["1'234'567", '1234567'],
    ['1,234.5', '1234.5'],
    ['1,234,567', '1234567'],
    ['1,5e3', '1.5e3'],
    ['1,5E+05', '1.5E+05'],
  ])('%s is %s', (value, plain) => {
    const found = ofColumn('cost', [value]);
    expect(found).toMatchObject({ questions: [], reason: null });
    expect(found.changes).toMatchObject([{ what: 'numbers', column: 'cost', count: 1 }]);
    expect(after(found)).toEqual([plain]);
  });

  test.each(['0', '1.5', '-3.5', '1.5e3', '0.123', '1234.567', '12345', '1.234e3'])(
    'that is one by the rules stays: %s',
    (value) => {
      expect(ofColumn('cost', [value])).toMatchObject({ changes: [], questions: [], reason: null });
    },
  );

  test.each(['', 'x', '1,', ',5', '1.23,4', '1,2,3', '1.2345,6', '1 23', '1.234 567', '€ 1,5'])(
    'is nothing else: %j',
    (value) => {
      expect(ofColumn('cost', [value])).toMatchObject({ changes: [], questions: [], reason: null });
    },
  );

  test.each([
    ['1.234', '1234', '1.234'],
    ['-12,345', '-12.345', '-12345'],
  ])('%s is asked for: with a comma %s, with a point %s', (value, comma, point) => {
    // The last one has to be converted in any case.
    const found = ofColumn('cost', [value, '7', '1 234']);
    expect(found).toMatchObject({ changes: [], reason: null });
    const example = (text: string): object => ({ row: 2, before: value, after: text });
    expect(found.questions).toEqual([
      {
        asks: 'decimal',
        column: 'cost',
        options: [
          { form: 'comma', examples: [example(comma)] },
          { form: 'point', examples: [example(point)] },
        ],
      },
    ]);
    const become = (decimal: 'comma' | 'point'): string =>
      after(ofColumn('cost', [value], { decimal }))[0] ?? value;
    expect([become('comma'), become('point')]).toEqual([comma, point]);
  });

  test('is not asked for where there is nothing else to convert', () => {
    const row = goodRow('cost', { cost: '1.234', currency: 'eur' });
    const found = detect(surveyedBytes(Buffer.from(csv([row])), COST));
    expect(found).toMatchObject({ changes: [], questions: [], reason: null });
    expect(after(ofColumn('cost', ['1.234'], { decimal: 'comma' }))).toEqual(['1234']);
    const named = detect(surveyedBytes(Buffer.from(csv([row]).replace('date', 'Date')), COST));
    expect(named.questions).toMatchObject([{ asks: 'decimal', column: 'cost' }]);
  });

  test.each([
    ['1.234,5', ['1234', '1234.5']],
    ['2,50', ['1234', '2.50']],
    ['1.23', []],
    ['1,234.5', ['1234.5']],
  ])('another row decides: %s', (value, plain) => {
    const found = ofColumn('cost', ['1.234', value]);
    expect(found).toMatchObject({ questions: [], reason: null });
    expect(after(found)).toEqual(plain);
  });

  test('of several meanings is shown with the row that decides, also if it stays', () => {
    const rows = ['1.234', '7', '0.50', '2.345'].map((cost) => goodRow('cost', { cost }));
    const { changes, decided } = detect(
      surveyedBytes(Buffer.from(csv(rows).replaceAll(',', ';')), COST),
    );
    expect(changes.map(({ what }) => what)).toEqual(['separator']);
    expect(decided).toEqual([
      {
        what: 'numbers',
        column: 'cost',
        text: 'read as a number with a decimal point because of "0.50" in row 4',
        count: 2,
        examples: [
          { row: 2, before: '1.234', after: '1.234' },
          { row: 5, before: '2.345', after: '2.345' },
        ],
      },
    ]);
    // Nothing is converted, so nothing is read in one way or the other.
    expect(detect(surveyedBytes(Buffer.from(csv(rows)), COST))).toMatchObject({
      changes: [],
      decided: [],
    });
  });

  test('that contradicts another one is told of with both rows', () => {
    expect(reasonIn(ofColumn('cost', ['7', '1,5', '1.234', '2.5']))).toEqual({
      cost: ['row 5: "2.5" contradicts "1,5" in row 3: no form fits both'],
    });
  });

  test('that does not have the mark of the answer is told of', () => {
    expect(reasonIn(ofColumn('cost', ['1.234', '1,5'], { decimal: 'point' }))).toEqual({
      cost: ['row 3: "1,5" is not a number with a decimal point'],
    });
    expect(reasonIn(ofColumn('cost', ['1.5'], { decimal: 'comma' }))).toEqual({
      cost: ['row 2: "1.5" is not a number with a decimal comma'],
    });
  });
});

describe('a count', () => {
  test.each([
    ['1.234', '1234'],
    ['1,234', '1234'],
    ['1.234.567', '1234567'],
    ['12 345', '12345'],
    ['999’999', '999999'],
  ])('is whole, so %s is %s, and no answer changes that', (value, plain) => {
    const answers: Answers[] = [{}, { decimal: 'point' }, { counts: 'comma' }, { counts: 'point' }];
    for (const answer of answers) {
      const found = ofColumn('clicks', [value, '5'], answer);
      expect(found).toMatchObject({ questions: [], reason: null });
      expect(after(found)).toEqual([plain]);
    }
  });

  test.each([
    ['1.000', '1000', '1'],
    ['25,000', '25', '25000'],
  ])('%s is asked for: with a comma %s, with a point %s', (value, comma, point) => {
    const found = ofColumn('clicks', [value, '7']);
    expect(found).toMatchObject({ changes: [], reason: null });
    const example = (text: string): object => ({ row: 2, before: value, after: text });
    expect(found.questions).toEqual([
      {
        asks: 'counts',
        column: 'clicks',
        options: [
          { form: 'comma', examples: [example(comma)] },
          { form: 'point', examples: [example(point)] },
        ],
      },
    ]);
    for (const [counts, plain] of [
      ['comma', comma],
      ['point', point],
    ] as const) {
      expect(after(ofColumn('clicks', [value], { counts }))).toEqual([plain]);
      expect(ofColumn('clicks', [value], { decimal: counts }).questions).toHaveLength(1);
    }
  });

  test.each([
    ['1.234', ['1000', '1234']],
    ['1.000.000', ['1000', '1000000']],
    ['0.000', ['1', '0']],
    ['1000.000', ['1', '1000']],
  ])('that may have three decimals is decided by another row: %s', (value, plain) => {
    const found = ofColumn('clicks', ['1.000', value]);
    expect(found).toMatchObject({ questions: [], reason: null });
    expect(after(found)).toEqual(plain);
    expect(found.decided).toMatchObject([{ column: 'clicks', count: 1 }]);
  });

  test('is asked for once, with an answer for the columns that are open', () => {
    const row = goodRow('cost', { impressions: '1.000', clicks: '2.000', cost: '0.5' });
    const text = csv([row, { ...row, impressions: '2.500' }, row]);
    const found = detect(surveyedBytes(Buffer.from(text), COST));
    expect(found.questions).toMatchObject([{ asks: 'counts', column: 'clicks' }]);
    const answered = detect(surveyedBytes(Buffer.from(text), COST), { counts: 'point' });
    expect(answered).toMatchObject({ questions: [], reason: null });
    expect(after(answered)).toEqual(['1000', '2500', '1000', '2', '2', '2']);
    const open = detect(surveyedBytes(Buffer.from(csv([row])), COST));
    expect(open.questions).toMatchObject([{ asks: 'counts', column: 'impressions' }]);
  });

  test.each(['1.5', '1,00', '1.234,0', '0.123', '-1.234', '1e3'])(
    'is nothing else: %s',
    (value) => {
      const found = ofColumn('clicks', [value]);
      expect(found).toMatchObject({ changes: [], questions: [], reason: null });
    },
  );

  test('that contradicts another one is told of with both rows', () => {
    expect(reasonIn(ofColumn('clicks', ['1.234', '5', '2,345']))).toEqual({
      clicks: ['row 4: "2,345" contradicts "1.234" in row 2: no form fits both'],
    });
  });
});

test('values of other columns are never numbers or dates', () => {
  const row = goodRow('cost', { campaign: '1.234,5', term: '01.02.2026' });
  expect(detect(surveyedBytes(Buffer.from(csv([row])), COST))).toMatchObject({
    changes: [],
    questions: [],
  });
});

test('a row of another width decides nothing', () => {
  const text = `${csv([goodRow('cost', { cost: '1,5' })])}2026-03-01,Search,EUR,1,2,2.5\n`;
  const found = detect(surveyedBytes(Buffer.from(text), COST));
  expect([found.reason, after(found)]).toEqual([null, ['1.5']]);
});
