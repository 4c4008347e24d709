import { existsSync, readdirSync } from 'node:fs';

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

import { ForbiddenPlaces, SECRET } from './forbidden-places.js';
import { ask, type TestQueryServer } from './query-server-fixture.js';

/** The table functions that generate their rows. */
const MAKING_ROWS = new Set([
  'format',
  'generateSeries',
  'generate_series',
  'numbers',
  'numbers_mt',
  'primes',
  'SQLStandardValues',
  'values',
  'view',
  'zeros',
  'zeros_mt',
]);

/** Table functions that take a statement instead of arguments. */
const HOLDING_STATEMENTS = new Set(['viewExplain', 'viewIfPermitted']);

/** Covers everything the engine can do, and so what a later version adds. */
describe('of all that the engine has', () => {
  let server: TestQueryServer;
  let places: ForbiddenPlaces;

  beforeAll(async () => {
    places = await ForbiddenPlaces.open();
    ({ server } = places);
  });
  afterAll(() => places.close());

  async function refused(query: string, codes: readonly number[]): Promise<void> {
    const { headers, text } = await ask(server.url, places.fill(query));
    expect([query, headers.get('x-clickhouse-exception-code'), text]).toEqual([
      query,
      expect.stringMatching(new RegExp(`^(?:${codes.join('|')})$`)),
      expect.not.stringContaining(SECRET),
    ]);
    expect(places.visits).toBe(0);
    expect(existsSync(places.target)).toBe(false);
    expect(readdirSync(server.outside).sort()).toEqual([
      'secret.csv',
      'warehouse',
      'warehouse-results',
    ]);
  }

  const READONLY = [164];
  const FUNCTION_NOT_ALLOWED = [446];

  async function names(sql: string): Promise<string[]> {
    const { text } = await ask(server.url, sql);
    return text.trim().split('\n');
  }

  test('no table function reaches beyond the warehouse, alone or in another', async () => {
    const all = await names('SELECT name FROM system.table_functions ORDER BY name');
    expect(all).toEqual(expect.arrayContaining([...MAKING_ROWS]));
    const reaching = all.filter((name) => !MAKING_ROWS.has(name) && !HOLDING_STATEMENTS.has(name));
    expect(reaching).toEqual(
      expect.arrayContaining(['file', 'url', 's3', 's3Cluster', 'loop', 'executable', 'remote']),
    );
    for (const name of reaching) {
      await refused(`SELECT * FROM ${name}('http://ADDRESS/')`, FUNCTION_NOT_ALLOWED);
      await refused(
        `SELECT * FROM view(SELECT * FROM \`${name}\`('SECRET'))`,
        FUNCTION_NOT_ALLOWED,
      );
      await refused(`DESCRIBE TABLE ${name}('http://ADDRESS/')`, FUNCTION_NOT_ALLOWED);
      await refused(`INSERT INTO FUNCTION ${name}('TARGET') SELECT 1`, READONLY);
      await refused(`CREATE TABLE custom_data.u AS ${name}('http://ADDRESS/')`, READONLY);
    }
  });

  test.each([
    "SELECT * FROM viewExplain('EXPLAIN', '', (SELECT 1))",
    "SELECT * FROM viewIfPermitted(SELECT 1 AS a ELSE null('a UInt8'))",
  ])('%s is refused', (query) => refused(query, FUNCTION_NOT_ALLOWED));

  test('no table engine makes a table of what is elsewhere', async () => {
    const engines = await names('SELECT name FROM system.table_engines ORDER BY name');
    expect(engines).toEqual(expect.arrayContaining(['File', 'URL', 'S3', 'MySQL', 'Executable']));
    for (const engine of engines) {
      const table = `(a String) ENGINE = ${engine}('http://ADDRESS/', 'CSV')`;
      await refused(`CREATE TEMPORARY TABLE u ${table}`, READONLY);
      await refused(`CREATE TABLE custom_data.u ${table}`, READONLY);
    }
  });

  test('no function calls a model', async () => {
    const models = await names(
      "SELECT name FROM system.functions WHERE match(name, '^ai[A-Z]|^catboost') ORDER BY name",
    );
    expect(models).toContain('aiGenerate');
    for (const name of models) await refused(`SELECT ${name}('SECRET')`, FUNCTION_NOT_ALLOWED);
  });

  test.each([
    "INSERT INTO t FROM INFILE 'SECRET' FORMAT CSV",
    "INSERT INTO FUNCTION url('http://ADDRESS/', 'CSV', 'a UInt8') SELECT 1",
    "SELECT 1 INTO OUTFILE 'TARGET' TRUNCATE",
    "SELECT 1 INTO OUTFILE 'TARGET' COMPRESSION 'gzip'",
    "EXPLAIN PIPELINE INSERT INTO FUNCTION file('TARGET', 'CSV') SELECT 1",
    "CREATE DICTIONARY custom_data.d (a UInt64) PRIMARY KEY a SOURCE(HTTP(URL 'http://ADDRESS/' FORMAT 'CSV')) LAYOUT(FLAT()) LIFETIME(1)",
    "CREATE DICTIONARY custom_data.d (a UInt64) PRIMARY KEY a SOURCE(EXECUTABLE(COMMAND 'id' FORMAT 'CSV')) LAYOUT(FLAT()) LIFETIME(1)",
    "CREATE DICTIONARY custom_data.d (a UInt64) PRIMARY KEY a SOURCE(FILE(PATH 'SECRET' FORMAT 'CSV')) LAYOUT(FLAT()) LIFETIME(1)",
    'CREATE MATERIALIZED VIEW custom_data.v ENGINE = Memory AS SELECT 1 AS a',
    "CREATE DATABASE d ENGINE = MySQL('ADDRESS', 'd', 'u', 'p')",
    'CREATE OR REPLACE TABLE custom_data.t (a UInt8) ENGINE = Memory',
    "CREATE NAMED COLLECTION c AS url = 'http://ADDRESS/'",
    'CREATE USER u NOT IDENTIFIED',
    'CREATE ROLE r',
    'CREATE ROW POLICY p ON custom_data.t USING 1 TO ALL',
    'CREATE SETTINGS PROFILE p SETTINGS readonly = 0',
    'CREATE QUOTA q FOR INTERVAL 1 DAY MAX queries = 1 TO ALL',
    'ALTER USER default SETTINGS readonly = 0',
    'REVOKE ALL ON *.* FROM default',
    'SET ROLE ALL',
    'SET DEFAULT ROLE ALL TO default',
    "ATTACH TABLE custom_data.u FROM 'SECRET' (a String) ENGINE = File(CSV)",
    'ATTACH DATABASE d',
    'UNDROP TABLE t',
    "ALTER TABLE t FREEZE WITH NAME 'x'",
    'ALTER TABLE t UPDATE name = 1 WHERE 1',
    'ALTER TABLE t MODIFY SETTING max_part_loading_threads = 1',
    'BACKUP DATABASE custom_data TO Null',
    "RESTORE DATABASE custom_data FROM Disk('default', 'x')",
    'SYSTEM RELOAD CONFIG',
    'SYSTEM RELOAD DICTIONARIES',
    'SYSTEM STOP MERGES',
    'SYSTEM DROP MARK CACHE',
    'SYSTEM KILL',
    "KILL QUERY WHERE query_id != '' SYNC",
    'KILL TRANSACTION WHERE 1',
    'BEGIN TRANSACTION',
    'DETACH DATABASE custom_data',
    'DROP DATABASE custom_data',
  ])('%s is refused', async (query) => {
    // A statement that the engine cannot parse is a syntax error.
    await refused(query, [...READONLY, ...FUNCTION_NOT_ALLOWED, 62]);
  });
});
