import { expect, test } from '@jest/globals';

import { identifier, statementsOf, text } from '../../../src/warehouse/sql.js';

test('a script is cut at the semicolons between its statements', () => {
  expect(statementsOf('SELECT 1;\n\nSELECT 2\n;SELECT 3')).toEqual([
    'SELECT 1',
    'SELECT 2',
    'SELECT 3',
  ]);
});

test('a semicolon in a literal, a quoted name or a comment separates nothing', () => {
  const script = `-- first; and only\nSELECT ';', 'it''s;', 'a\\';', \`b;\`, "c;" /* d; */ FROM t;\n-- end;`;
  expect(statementsOf(script)).toEqual([`SELECT ';', 'it''s;', 'a\\';', \`b;\`, "c;"  FROM t`]);
});

test('a script of comments has no statement', () => {
  expect(statementsOf('-- nothing\n/* at all; */\n;')).toEqual([]);
});

test('a name that is more than a name is refused', () => {
  expect(identifier('custom_data')).toBe('`custom_data`');
  for (const name of ['', '1a', 'a.b', 'a`b', 'a b', "a'"])
    expect(() => identifier(name)).toThrow();
});

test('a literal keeps its quotes and backslashes', () => {
  expect(text(`it's a \\ path`)).toBe(`'it\\'s a \\\\ path'`);
});
