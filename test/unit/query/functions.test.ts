import { expect, test } from '@jest/globals';

import { isAllowed } from '../../../src/query/functions/index.js';
import { namesOf } from '../../../src/query/functions/names.js';
import { notAllowed } from '../../../src/query/functions/not-allowed.js';
import { reasonAgainst } from '../../../src/query/functions/refused.js';

const engine = (functions: readonly string[], tableFunctions: readonly string[] = []) => ({
  functions: new Set(functions),
  tableFunctions: new Set(tableFunctions),
});
const NONE = engine([]);

test('braces stand for several names', () => {
  expect([...namesOf({ a: 'to{Date,Time}{,OrNull}\n  now', b: 'ST_{Point,Line}FromWKB' })]).toEqual(
    [
      ...['todate', 'todateornull', 'totime', 'totimeornull', 'now'],
      ...['st_pointfromwkb', 'st_linefromwkb'],
    ],
  );
});

test.each([
  'sum',
  'sumif',
  'uniqarrayif',
  'quantilesexactstate',
  'argmaxmerge',
  'groupuniqarrayarray',
])('%s is allowed', (name) => {
  expect(isAllowed(name, NONE)).toBe(true);
});

test.each(['if', 'ifif', 'file', 'fileif', 'iffile', 'sumfile', 'aggthrowif', 'xsum', ''])(
  '%s as an aggregate function is not',
  (name) => {
    expect(isAllowed(name, NONE)).toBe(name === 'if');
  },
);

test('what a new engine brings is refused, whatever its name looks like', () => {
  for (const name of ['readeverything', 'arrayfile', 'sumtomap', 'todateofthehost']) {
    expect(isAllowed(name, engine([name]))).toBe(false);
    expect(reasonAgainst(name)).toBeUndefined();
  }
  expect(isAllowed('summap', engine([]))).toBe(true);
  expect(isAllowed('summap', engine(['summap']))).toBe(false);
  expect(isAllowed('domain', engine(['domain']))).toBe(true);
  expect(isAllowed('domain', engine(['domain'], ['domain']))).toBe(false);
});

test('a refusal names the function, the reason and what is allowed', () => {
  const allowed =
    'Allowed are functions that compute from their arguments and the rows of the query.';
  expect(notAllowed('file', engine(['file']), true)).toMatchObject({
    code: 446,
    detail: `Function file is not allowed here: it reads files or tells about the disk. ${allowed}`,
  });
  expect(notAllowed('Brandnew', engine(['brandnew']), false)).toMatchObject({
    code: 446,
    detail:
      `Function Brandnew is not allowed here: it is not on the list of this interface. ${allowed} ` +
      'A column can be written with its table, table.column.',
  });
  expect(notAllowed('madeUp', NONE, true)).toMatchObject({
    code: 46,
    status: 404,
    detail: `Function madeUp does not exist. ${allowed}`,
  });
});
