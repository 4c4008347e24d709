import { describe, expect, test } from '@jest/globals';

import {
  csv,
  fileWith,
  goodRow,
  keysOf,
  reasonFor,
  type Reason,
  withoutHint,
} from '../../support/files/files.js';

/** The reason for a good cost file with `names` added to its header, each with the value `a`. */
function reasonWith(...names: string[]): Reason {
  const [header, row] = fileWith('cost', {}).trimEnd().split('\n') as [string, string];
  return reasonFor('cost', [header, ...names].join(',') + '\n' + row + ',a'.repeat(names.length));
}

describe('the columns of a header', () => {
  test('may stand in any order', () => {
    const entries = Object.entries(goodRow('cost', { term: 't', country: 'de' }));
    const expected = keysOf('cost', csv([Object.fromEntries(entries)]));
    for (let turn = 0; turn < entries.length; turn++) {
      const turned = Object.fromEntries([...entries.slice(turn), ...entries.slice(0, turn)]);
      expect(keysOf('cost', csv([turned]))).toEqual(expected);
      expect(keysOf('cost', csv([Object.fromEntries(Object.entries(turned).reverse())]))).toEqual(
        expected,
      );
    }
  });

  test('may be quoted', () => {
    expect(keysOf('cost', fileWith('cost', {}).replace('date', '"date"'))).toHaveLength(1);
  });

  test.each([
    'cpc',
    'event_value',
    'Term',
    'TERM',
    'ad group',
    'ad-group',
    'termé',
    'row',
    'ｔｅｒｍ',
  ])('that a cost file does not have are refused: %s', (name) => {
    expect(withoutHint(reasonWith(name))).toEqual({
      [name]: [`row 1: "${name}" is not a column of a cost upload`],
    });
  });

  test('of the other family are refused', () => {
    expect(reasonFor('self-serve', fileWith('self-serve', { campaign_id: 'a' }))).toEqual({
      campaign_id: ['row 1: "campaign_id" is not a column of a self-serve upload'],
    });
  });

  test.each([' term', 'term ', '\u00a0term', 'term\u3000', '\tterm', ' '])(
    'have no whitespace at their ends: %j',
    (name) => {
      expect(reasonWith(name)).toEqual({
        [name]: [`row 1: "${name}" has whitespace at its beginning or end`],
      });
    },
  );

  test('a badly spaced required column is also missing', () => {
    expect(reasonFor('cost', fileWith('cost', {}).replace('clicks', ' clicks'))).toEqual({
      ' clicks': ['row 1: " clicks" has whitespace at its beginning or end'],
      clicks: ['row 1: the required column is missing'],
    });
  });

  test.each(['term', 'date', 'cost'])('appear once: %s', (name) => {
    const { [name]: messages } = reasonWith(...(name === 'term' ? ['term', 'term'] : [name]));
    expect(messages![0]).toBe(`row 1: "${name}" appears more than once`);
  });

  test('of a doubled column, the first one is what the rows are checked by', () => {
    const file = fileWith('cost', {}).replace('cost\n', 'cost,cost\n').replace('1.5', '1.5,x');
    expect(reasonFor('cost', file)).toEqual({ cost: ['row 1: "cost" appears more than once'] });
  });

  test('an unknown name that is there twice is told of twice', () => {
    expect(reasonWith('cpc', 'cpc')['cpc']).toHaveLength(2);
  });

  test('have names: one without is told of by its place, under file', () => {
    expect(reasonWith('', 'term', '')).toEqual({
      file: ['row 1: column 8 has no name', 'row 1: column 10 has no name'],
    });
  });

  test('are counted, also behind many that have no name', () => {
    const { file } = reasonWith(...Array.from({ length: 150 }, () => ''));
    expect(file).toHaveLength(21);
    expect(file).toContainEqual(expect.stringMatching(/^row 1: has 157 columns, at most/));
  });

  test.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'file'])(
    'may not be called %s, and the reason says so under that name',
    (name) => {
      const verdict = JSON.stringify(reasonWith(name));
      expect(verdict).toBe(`{"${name}":["row 1: \\"${name}\\" is not a column of a cost upload"]}`);
    },
  );

  test('are cut at 64 characters where they stand in the reason', () => {
    expect(reasonWith('é'.repeat(64), '😀'.repeat(65), 'x'.repeat(100_000))).toEqual({
      ['é'.repeat(64)]: [`row 1: "${'é'.repeat(64)}" is not a column of a cost upload`],
      ['😀'.repeat(64) + '…']: [`row 1: "${'😀'.repeat(64)}…" is not a column of a cost upload`],
      ['x'.repeat(64) + '…']: [`row 1: "${'x'.repeat(64)}…" is not a column of a cost upload`],
    });
  });

  test('a quoted name may hold anything and still is no column', () => {
    expect(Object.keys(reasonWith('"da""te\nx"'))).toEqual(['da"te\nx']);
  });
});

describe('a header that is not one', () => {
  test('tells of every required column at once', () => {
    expect(reasonFor('self-serve', '2026-03-01;Search\n')).toEqual({
      '2026-03-01;Search': ['row 1: "2026-03-01;Search" is not a column of a self-serve upload'],
      date: ['row 1: the required column is missing'],
      channel: ['row 1: the required column is missing'],
      event_category: ['row 1: the required column is missing'],
      event_value: ['row 1: the required column is missing'],
      file: ['the file has no data rows'],
    });
  });

  test('that is malformed CSV is told of as row 1', () => {
    const file = fileWith('cost', {}).replace('date', 'da"te');
    expect(reasonFor('cost', file)['file']).toEqual([
      'row 1: a quote stands inside a field that does not begin with one',
    ]);
  });

  test('still has its rows checked in the columns that it does have', () => {
    const file = fileWith('cost', { clicks: '-5' }).replace('date', 'day');
    expect(reasonFor('cost', file)).toEqual({
      day: ['row 1: "day" is not a column of a cost upload'],
      date: ['row 1: the required column is missing'],
      clicks: ['row 2: "-5" is not a whole number from 0 to 999999999999, digits only'],
    });
  });
});
