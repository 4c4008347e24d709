import { describe, expect, test } from '@jest/globals';

import type { Answers, Detection } from '../../../../src/csv/spreadsheet/detection.js';
import { detect } from '../../../../src/csv/spreadsheet/detect.js';
import { COST } from '../../../../src/domain/families/index.js';
import { csv, goodRow, type Reason } from '../../../support/files/files.js';

function ofColumn(column: string, values: readonly string[], answers: Answers = {}): Detection {
  // The other numbers are the same in every form.
  const rows = values.map((value) => goodRow('cost', { cost: '2', [column]: value }));
  return detect(Buffer.from(csv(rows)), COST, answers);
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
    const found = detect(Buffer.from(csv([row])), COST);
    expect(found).toMatchObject({ changes: [], questions: [], reason: null });
    expect(after(ofColumn('cost', ['1.234'], { decimal: 'comma' }))).toEqual(['1234']);
    const named = detect(Buffer.from(csv([row]).replace('date', 'Date')), COST);
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
    const answers: Answers[] = [{}, { decimal: 'comma' }, { decimal: 'point' }];
    for (const answer of answers) {
      const found = ofColumn('clicks', [value, '5'], answer);
      expect(found).toMatchObject({ questions: [], reason: null });
      expect(after(found)).toEqual([plain]);
    }
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
  expect(detect(Buffer.from(csv([row])), COST)).toMatchObject({ changes: [], questions: [] });
});

test('a row of another width decides nothing', () => {
  const text = `${csv([goodRow('cost', { cost: '1,5' })])}2026-03-01,Search,EUR,1,2,2.5\n`;
  const found = detect(Buffer.from(text), COST);
  expect([found.reason, after(found)]).toEqual([null, ['1.5']]);
});
