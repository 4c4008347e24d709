import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

import { KEYWORDS } from '../../../src/query/function-calls.js';
import { isAllowed } from '../../../src/query/functions/index.js';
import { reasonAgainst } from '../../../src/query/functions/refused.js';
import { ask, openQueryServer, type TestQueryServer } from './query-server-fixture.js';

let server: TestQueryServer;
beforeAll(async () => {
  server = await openQueryServer();
});
afterAll(() => server.close());

async function codeOf(query: string): Promise<string | null> {
  return (await ask(server.url, query)).headers.get('x-clickhouse-exception-code');
}

/** Covers every function of this engine, and so those that a later version adds. */
describe('of all functions that the engine has', () => {
  let allowed: string[];
  let refused: string[];
  beforeAll(async () => {
    const names = async (table: string) =>
      (await ask(server.url, `SELECT name FROM system.${table}`)).text.trim().split('\n');
    const functions = await names('functions');
    const lower = (all: readonly string[]) => new Set(all.map((name) => name.toLowerCase()));
    const engine = {
      functions: lower(functions),
      tableFunctions: lower(await names('table_functions')),
    };
    allowed = functions.filter((name) => isAllowed(name.toLowerCase(), engine));
    refused = functions.filter((name) => !allowed.includes(name));
  });

  test('somebody has looked at each', () => {
    expect(allowed.length).toBeGreaterThan(1_000);
    expect(allowed.filter((name) => reasonAgainst(name.toLowerCase()) !== undefined)).toEqual([]);
    expect(refused.filter((name) => reasonAgainst(name.toLowerCase()) === undefined)).toEqual([]);
    expect(refused).toEqual(
      expect.arrayContaining([
        'file',
        'hasColumnInTable',
        'joinGet',
        'dictGet',
        'arrayAutocorrelation',
        'arraySimilarity',
        'sleep',
        'hostName',
      ]),
    );
  });

  test('none that is refused is called like a word of the language, before a bracket', () => {
    const all = new Set(refused.map((name) => name.toLowerCase()));
    expect([...KEYWORDS].filter((word) => all.has(word.toLowerCase()))).toEqual([]);
  });

  test('none that is refused runs, in whatever way it is written', async () => {
    for (const name of refused) {
      for (const query of [
        `SELECT ${name}('x')`,
        `SELECT * APPLY ${name} FROM t`,
        `SELECT arrayMap(((${name})) AS ${name}, ['x'])`,
        `SELECT arrayReduce('${name}', ['x'])`,
      ]) {
        // Some names are syntax errors in some of these forms.
        expect([query, await codeOf(query)]).toEqual([
          query,
          expect.stringMatching(/^(?:446|62)$/),
        ]);
      }
    }
  });

  test('none that is allowed is refused', async () => {
    // The engine formats `not` as an operator with one argument.
    const names = allowed.filter((name) => name !== 'not');
    for (let start = 0; start < names.length; start += 50) {
      const calls = names.slice(start, start + 50).map((name) => `\`${name}\`('sum', 2)`);
      // The engine refuses some of the arguments, so it accepts the functions: it knows them all (46
      // otherwise), and none is refused (446).
      expect([calls, await codeOf(`SELECT ${calls.join(', ')}`)]).toEqual([
        calls,
        expect.stringMatching(/^(?!46$|446$)\d+$/),
      ]);
    }
  });
});

test.each([
  // Functions of many kinds, in every letter case that the engine accepts.
  ["SELECT UPPER('a'), cOnCaT('a', 'b'), SubStr('abc', 2), IFNULL(NULL, 1)", 'A\tab\tbc\t1\n'],
  ['SELECT COUNT(*), Sum(number), AVG(number) FROM numbers(3)', '3\t3\t1\n'],
  [
    'SELECT sumIf(number, number > 1), uniqExactArray([1, 2]), countDistinct(number) FROM numbers(3)',
    '2\t2\t3\n',
  ],
  [
    'SELECT uniqMerge(s), sumOrNull(1), sumResample(0, 2, 1)(1, 1) FROM (SELECT uniqState(1) AS s)',
    '1\t1\t[0,1]\n',
  ],
  ['SELECT quantile(0.5)(number), quantiles(0.1, 0.9)(number) FROM numbers(11)', '5\t[1,9]\n'],
  ["SELECT arrayReduce('quantile(0.5)', [1, 2, 3]), arrayReduce('sum', [1])", '2\t1\n'],
  [
    "SELECT toStartOfMonth(toDate('2024-05-06')), dateDiff('day', toDate('2024-01-01'), toDate('2024-01-03'))",
    '2024-05-01\t2\n',
  ],
  [
    "SELECT date '2024-01-01' + INTERVAL 1 DAY, extract(YEAR FROM toDate('2024-01-01'))",
    '2024-01-02\t2024\n',
  ],
  [
    "SELECT CASE 1 WHEN 1 THEN 'a' ELSE 'b' END, CASE WHEN 0 THEN 1 END, if(1, 2, 3), 1 ? 2 : 3",
    'a\t\\N\t2\t2\n',
  ],
  [
    "SELECT JSONExtractInt('{\"a\": 1}', 'a'), domain('http://a.b/c'), hex(MD5('a')) != ''",
    '1\ta.b\t1\n',
  ],
  [
    "SELECT CAST(1 AS Decimal(9, 2)), 1::Nullable(UInt8), CAST(1, 'Enum8(\\'a\\' = 1)')",
    '1\t1\ta\n',
  ],
  ["SELECT decodeURLComponent('%41'), greatest(1, 2), transform(1, [1], ['x'], 'y')", 'A\t2\tx\n'],
  [
    'SELECT row_number() OVER (ORDER BY number), lagInFrame(number) OVER w FROM numbers(1) WINDOW w AS (ORDER BY number)',
    '1\t0\n',
  ],
  [
    "SELECT version() != '', displayName() != '', timezone() != '', currentDatabase()",
    '1\t1\t1\tcustom_data\n',
  ],
  // Lambdas, aliases and column names.
  [
    "SELECT arrayMap(x -> x + 1, [1]), arrayMap((x, y) -> x + y, [1], [2]), arrayMap(upper, ['a'])",
    "[2]\t[3]\t['A']\n",
  ],
  ['WITH x -> x + 1 AS f SELECT f(1)', '2\n'],
  ['WITH (x, y) -> x + y AS f, (a -> a * 2) AS g SELECT f(1, g(2))', '5\n'],
  ['WITH x -> x + 1 AS f SELECT * APPLY f FROM (SELECT 1)', '2\n'],
  ["SELECT * APPLY(x -> x + 1), * APPLY(toString, 's_') FROM (SELECT 1 AS a)", '2\t1\n'],
  ['WITH t(a, b) AS (SELECT 1, 2) SELECT a + b FROM t', '3\n'],
  ['SELECT a + b FROM (SELECT 1, 2) AS t(a, b)', '3\n'],
  ['WITH t(a) AS MATERIALIZED (SELECT 1), u AS MATERIALIZED (SELECT 2) SELECT a FROM t', '1\n'],
  [
    'SELECT any(a) FILTER (WHERE (a > 0)) OVER () FROM (SELECT 1 AS a) GROUP BY a QUALIFY (1)',
    '1\n',
  ],
  ['SELECT x.a FROM (SELECT 1 AS a) AS x INNER JOIN (SELECT 1 AS a) AS y ON (x.a = y.a)', '1\n'],
  ['EXPLAIN SYNTAX (SELECT 1)', 'SELECT 1\nFROM system.one\n'],
  ['WITH file AS (SELECT 1 AS sleep) SELECT sleep, file.sleep FROM file', '1\t1\n'],
  [
    "SELECT coalesce(file, ''), arrayConcat(hostName), file AS url FROM (SELECT 'a' AS file, ['b'] AS hostName)",
    "a\t['b']\ta\n",
  ],
  ['SELECT arrayMap(x -> x, q.sleep) FROM (SELECT [1] AS sleep) AS q', '[1]\n'],
  [
    'SELECT uptime FROM (SELECT number AS uptime FROM numbers(1)) WHERE uptime IN (0, 1) AND NOT (uptime = 1)',
    '0\n',
  ],
  ["SELECT user = '' OR 1, query_id != '' FROM system.processes LIMIT 1", '1\t1\n'],
  ["SELECT count() > 0 FROM system.processes WHERE Settings['readonly'] = '1'", '1\n'],
  // Tables that a function or a clause makes.
  ["SELECT * FROM values('a String, b Array(Decimal(9, 2))', ('x', [1]))", 'x\t[1]\n'],
  ["SELECT * FROM values(('x', 1), ('y', 2))", 'x\t1\ny\t2\n'],
  ["SELECT * FROM values('x', 'y')", 'x\ny\n'],
  ["SELECT * FROM values(('x'), ('y'))", 'x\ny\n'],
  ['SELECT * FROM (VALUES (1, 2))', '1\t2\n'],
  ['SELECT * FROM view(SELECT 1) AS v, numbers(1) AS n', '1\t0\n'],
  ['SELECT * REPLACE(2 AS a) EXCEPT(b) FROM (SELECT 1 AS a, 2 AS b)', '2\n'],
  [
    'SELECT number, count() FROM numbers(1) GROUP BY GROUPING SETS ((number), ()) ORDER BY grouping(number)',
    '0\t1\n0\t1\n',
  ],
  ['SELECT {a:Array(Tuple(String, UInt8))}', "[('x',1)]\n"],
])('%s is answered', async (query, expected) => {
  const { text } = await ask(server.url, query, { param_a: "[('x',1)]" });
  expect(text).toBe(expected);
});
