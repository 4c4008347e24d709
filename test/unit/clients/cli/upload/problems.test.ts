import { expect, test } from '@jest/globals';

import { Problems } from '../../../../../src/clients/cli/upload/problems.js';

function problemsIn(rows: readonly number[]): Problems {
  const problems = new Problems();
  for (const row of rows) problems.add('file', row, `of ${row}`);
  return problems;
}

const numbers = (count: number): number[] => Array.from({ length: count }, (_, i) => i);

test('the first twenty messages of a column are kept, in the order of the rows', () => {
  const { file } = problemsIn(numbers(25).reverse()).byColumn();
  expect(file).toEqual([...numbers(20).map((row) => `of ${row}`), 'and 5 more']);
});

test.each([
  ['rows', numbers(22).map((i) => i + 2)],
  ['the file as a whole', numbers(22).map(() => 0)],
])('a message is given for certain, also beside many of %s', (_name, rows) => {
  const problems = problemsIn(rows);
  problems.addForCertain('file', 'certain');
  const { file } = problems.byColumn();
  expect(file).toHaveLength(21);
  expect(file).toContain('certain');
  expect(file!.at(-1)).toBe('and 3 more');
});

test('beside few messages it takes the place of none', () => {
  const problems = problemsIn([0, 3]);
  problems.addForCertain('file', 'certain');
  expect(problems.byColumn()).toEqual({ file: ['of 0', 'certain', 'of 3'] });
});
