import { expect, test } from '@jest/globals';

import { refuseTokens } from '../../../src/query/statement-tokens.js';
import type { Token } from '../../../src/query/sql-tokens.js';

const TYPES: readonly (readonly [text: RegExp, type: string])[] = [
  [/^[A-Za-z_]/, 'BareWord'],
  [/^\d/, 'Number'],
  [/^'/, 'StringLiteral'],
  [/^->/, 'Arrow'],
  [/^,/, 'Comma'],
  [/^\(/, 'OpeningRoundBracket'],
  [/^\)/, 'ClosingRoundBracket'],
  [/^\{/, 'OpeningCurlyBrace'],
  [/^\}/, 'ClosingCurlyBrace'],
];

/** As the engine's lexer cuts the texts of these tests. */
function lexed(sql: string): Token[] {
  return (sql.match(/\w+|'[^']*'|->|\S/g) ?? []).map((text) => [
    TYPES.find(([start]) => start.test(text))?.[1] ?? 'Other',
    text,
  ]);
}

const ENGINE = { functions: new Set(['abs', 'file']), tableFunctions: new Set(['values']) };

function judge(tokens: readonly Token[]): void {
  refuseTokens(tokens, new Map([['a', 'b']]), ENGINE);
}

test.each([
  ['calls', 'abs(a+1+1),'.repeat(20_000)],
  ['calls with lists of names', 'abs(a,b,c,d),'.repeat(20_000)],
  ['lambdas', 'x->'.repeat(80_000)],
  ['lambdas in brackets', '(x->x),'.repeat(30_000)],
  ['parameters', '{a:Identifier},'.repeat(17_000)],
  ['rows of values', 'values(1),'.repeat(25_000)],
  ['values in values', `${'values(('.repeat(15_000)}1${'))'.repeat(15_000)}`],
  ['combinators', `sum${'if'.repeat(120_000)}(1)`],
  ['nested types', `values('a ${'('.repeat(120_000)}${')'.repeat(120_000)}',1)`],
])('a text full of %s is judged at once', (_, text) => {
  const tokens = lexed(`SELECT ${text} 1`);
  const started = performance.now();
  try {
    judge(tokens);
  } catch (error) {
    expect(error).toMatchObject({ code: expect.any(Number) });
  }
  expect(performance.now() - started).toBeLessThan(1_000);
});

test.each([
  ['SELECT arrayMap(x -> x + 1 AS f, a), f(1)', true],
  ['SELECT arrayMap((x -> (x, 1)) AS f, a), f(1)', true],
  ['SELECT arrayMap(x -> (y -> y) AS f, a), f(1)', true],
  ['SELECT arrayMap(x -> x, 1 AS f), f(1)', false],
  ['SELECT arrayMap(x -> (1 AS f), a), f(1)', false],
  ['SELECT 1 AS f, f(1)', false],
])('a name is a lambda where one ends before it: %s', (text, allowed) => {
  const judging = (): void => {
    judge(lexed(text));
  };
  if (allowed) expect(judging).not.toThrow();
  else expect(judging).toThrow('Function f does not exist');
});

test('column names of a table are no call', () => {
  judge(lexed('WITH t(a, b) AS (SELECT 1, 2), u(c) AS MATERIALIZED (SELECT 3) SELECT 1'));
  judge(lexed('SELECT a FROM (SELECT 1, 2) AS t(a, b)'));
  for (const text of ['SELECT t(a, b) AS c', 'SELECT t(a, 1) AS (', 'SELECT t(a, b']) {
    expect(() => {
      judge(lexed(text));
    }).toThrow('Function t does not exist');
  }
});

test('a structure of values may hold brackets, of a depth that types have', () => {
  judge(lexed("SELECT a FROM values('a Array(Tuple(UInt8, UInt8)), b String', (1, 2))"));
  judge(lexed('SELECT a FROM values((abs(1), 2), (3, 4))'));
  expect(() => {
    judge(lexed("SELECT a FROM values((concat('a String')), 1)"));
  }).toThrow('takes rows');
});
