import { expect, test } from '@jest/globals';

import { guarded } from '../../../src/csv/annotated-rows.js';

test.each([
  '=1+1',
  '+cmd|x',
  '-cmd|x',
  '@SUM(A1)',
  '\t=1',
  '\r=1',
  '\n=1',
  '＝1+1',
  '-1+1',
  '+1-HYPERLINK("x")',
  '-',
  '--1',
])('a cell %j gets an apostrophe, so that a spreadsheet shows it as text', (cell) => {
  expect(guarded(cell)).toBe(`'${cell}`);
});

test.each(['', '-1.5', '+3', '1e5', '-1.5e-3', 'text', '2026-01-01', "'quoted", 'a=b', '５'])(
  'a cell %j is harmless and stays as it is',
  (cell) => {
    expect(guarded(cell)).toBe(cell);
  },
);
