import { existsSync, readdirSync } from 'node:fs';

import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';

import { ForbiddenPlaces, SECRET } from './forbidden-places.js';
import { ask } from './query-server-fixture.js';

/** Ways around the list of functions and around the words that are refused. */
describe('a query cannot', () => {
  let places: ForbiddenPlaces;
  beforeAll(async () => {
    places = await ForbiddenPlaces.open();
  });
  afterAll(() => places.close());
  afterEach(() => {
    expect(places.visits).toBe(0);
    expect(existsSync(places.target)).toBe(false);
    expect(readdirSync(places.server.outside).sort()).toEqual([
      'secret.csv',
      'warehouse',
      'warehouse-results',
    ]);
  });

  async function refused(
    query: string,
    code: number,
    parameters: Readonly<Record<string, string>> = {},
  ): Promise<void> {
    const { headers, text } = await ask(places.server.url, places.fill(query), parameters);
    expect([text, headers.get('x-clickhouse-exception-code')]).toEqual([
      expect.not.stringContaining(SECRET),
      String(code),
    ]);
  }

  describe('call a function that is not allowed', () => {
    test.each([
      ["SELECT FILE('SECRET')", 446],
      ["SELECT fileIf('SECRET', 1)", 46],
      ['SELECT madeUp(1)', 46],
      ["SELECT `x.file`('SECRET')", 46],
      ["SELECT arrayMap(file AS x, ['SECRET'])", 446],
      ["SELECT arrayMap((file), ['SECRET'])", 446],
      ["SELECT arrayMap(((file)) AS x, ['SECRET'])", 446],
      ["SELECT ArrayMap(`file`, ['SECRET'])", 446],
      ["SELECT mapApply(file, map('a', 'SECRET'))", 446],
      ["SELECT arrayMap(x -> arrayMap(file, [x]), ['SECRET'])", 446],
      ["SELECT * APPLY `file` FROM (SELECT 'SECRET')", 446],
      ["SELECT * APPLY(file, 'p_') FROM (SELECT 'SECRET')", 446],
      // An alias does not permit a function of the engine with that name.
      ["SELECT 1 AS file, file('SECRET')", 446],
      ["WITH x -> x AS file SELECT file('SECRET')", 446],
      ["SELECT (WITH x -> x AS file SELECT file(1)), file('SECRET')", 446],
      ["WITH f -> arrayMap(f, ['SECRET']) AS g SELECT g(x -> file(x))", 446],
      [
        "SELECT a FROM (SELECT 'x' AS a, 'SECRET' AS b) ORDER BY a WITH FILL INTERPOLATE (a AS file(b))",
        446,
      ],
      ["SELECT file(a) AS MATERIALIZED FROM (SELECT 'SECRET' AS a)", 446],
      ["WITH (SELECT 1) AS file('SECRET') SELECT 1", 62],
      ["SELECT '}' AS `{a:`, file('SECRET')", 446],
      ["SELECT {p:Enum8('}' = 1)}, file('SECRET')", 446],
      ['SELECT @@hostname', 446],
      // Names of aggregate functions in strings, and their arguments.
      ["SELECT arrayReduce('aggThrow(1)', [1])", 446],
      ["SELECT arrayReduce(concat('agg', 'Throw'), [1])", 36],
      ["SELECT arrayReduce('groupConcat(file(\\'SECRET\\'))', ['a', 'b'])", 36],
      ["SELECT initializeAggregation('flameGraph', 1)", 446],
      // Columns that a structure in a string defines.
      ["SELECT b FROM values('a String, b String ALIAS file(\\'SECRET\\')', 'x')", 36],
      ["SELECT b FROM values(('a String, b String ALIAS file(\\'SECRET\\')'), 'x')", 36],
      ["SELECT b FROM values($$a String, b String ALIAS file('SECRET')$$, 'x')", 36],
      ["SELECT b FROM values('a UInt8, b String ALIAS hostName', 1)", 36],
      ["WITH 'a String, b String ALIAS hostName()' AS s SELECT b FROM values(s, 'x')", 36],
      ["SELECT b FROM values({s:String}, 'x')", 36],
      ["SELECT b FROM generateRandom('a UInt8, b String ALIAS file(\\'SECRET\\')')", 446],
      ["SELECT b FROM null('b String ALIAS hostName()')", 446],
      ["SELECT * FROM format(CSV, 'a String DEFAULT file(\\'SECRET\\')', 'x')", 164],
      ["SELECT structureToProtobufSchema('a UInt8 DEFAULT file(\\'SECRET\\')', 'x')", 446],
      // Table names in strings.
      ["SELECT hasColumnInTable('default', 'SECRET', 'c1')", 446],
      ["SELECT hasColumnInTable('ADDRESS', 'd', 't', 'c1')", 446],
      ["SELECT joinGet('default.`SECRET`', 'c1', 1)", 446],
      ["SELECT dictGet('default.`SECRET`', 'c1', 1)", 446],
      ["SELECT * FROM merge('custom_data', '.*')", 446],
    ])('%s', (query, code) =>
      refused(query, code, { param_s: 'a String, b String ALIAS hostName()' }),
    );

    test('by a bound name', async () => {
      await refused("SELECT arrayMap({f:Identifier}, ['SECRET'])", 446, { param_f: 'file' });
      await refused("SELECT arrayMap(({f:Identifier}) AS g, ['SECRET'])", 446, { param_f: 'file' });
      await refused('SELECT * APPLY {f:Identifier} FROM (SELECT 1)', 62, { param_f: 'file' });
    });
  });

  test.each([
    'SHOW TABLES WHERE (SELECT count() FROM numbers(1) AS SHOW SETTINGS readonly = 0) = 0',
    'SELECT 1 FROM numbers(1) AS CHANGED SETTINGS readonly = 0',
    'SHOW TABLES WHERE (SELECT 1 FROM numbers(1) AS AS SETTINGS readonly = 0) = 1',
    'SHOW SETTINGS WHERE (SELECT 1 FROM numbers(1) SETTINGS readonly = 0) = 1',
    'SELECT * APPLY(x -> (SELECT 1 FROM numbers(1) SETTINGS readonly = 0)) FROM t',
    'SELECT 1 AS `settings`, (SELECT 1 SETTINGS readonly = 0)',
    'EXPLAIN SELECT 1 SETTINGS readonly = 0',
  ])('change settings: %s', async (query) => {
    const { text } = await ask(places.server.url, query);
    expect(text).toMatch(/READONLY|SYNTAX_ERROR/);
  });

  test.each([
    ['SHOW TABLES WHERE name != (SELECT any(name) FROM system.models)', 497, {}],
    ['SHOW TABLES WHERE name IN system.`stack_trace`', 497, {}],
    ['SELECT * APPLY(x -> x IN (SELECT 1 FROM system.stack_trace)) FROM t', 497, {}],
    [
      'SHOW TABLES WHERE name IN (SELECT 1 FROM {a:Identifier}.{b:Identifier})',
      497,
      { param_a: 'system', param_b: 'models' },
    ],
    ['SHOW TABLES WHERE name IN (SELECT 1 FROM {a:Identifier}.x)', 81, { param_a: 'default' }],
    ['SHOW TABLES WHERE name IN default.`SECRET`', 81, {}],
    ['SELECT * APPLY(x -> x IN (SELECT 1 FROM `default`.`SECRET`)) FROM t', 81, {}],
  ])('read a table that is refused where the syntax tree does not show it: %s', refused);
});
