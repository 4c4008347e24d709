import { existsSync, readdirSync } from 'node:fs';

import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';

import { ForbiddenPlaces, SECRET } from './forbidden-places.js';
import { ask, ROWS, type TestQueryServer } from './query-server-fixture.js';

describe('a query cannot', () => {
  let server: TestQueryServer;
  let places: ForbiddenPlaces;

  beforeAll(async () => {
    places = await ForbiddenPlaces.open();
    ({ server } = places);
  });
  afterAll(() => places.close());
  afterEach(() => {
    expect(places.visits).toBe(0);
    expect(readdirSync(server.outside).sort()).toEqual([
      'secret.csv',
      'warehouse',
      'warehouse-results',
    ]);
    const rows = server.writer.query('SELECT count() FROM custom_data.t', 'TSV');
    expect(rows).toBe(`${ROWS}\n`);
  });

  async function refused(query: string, parameters: Record<string, string> = {}): Promise<void> {
    const { status, text } = await ask(server.url, places.fill(query), parameters);
    expect(text).toMatch(/^Code: \d+\. DB::Exception: /);
    expect(text).not.toContain(SECRET);
    expect(status).toBeGreaterThanOrEqual(400);
  }

  describe('write:', () => {
    test.each([
      "INSERT INTO t VALUES (1, 'a', '2024-01-01')",
      'INSERT INTO t FORMAT JSONEachRow {"id":1}',
      'INSERT INTO t SELECT * FROM t',
      "INSERT INTO FUNCTION file('TARGET', 'CSV') SELECT 1",
      "SELECT 1 INTO OUTFILE 'TARGET'",
      "SELECT 1 INTO OUTFILE 'TARGET' FORMAT CSV",
      "SELECT 1 /* INTO */ into /**/ outfile 'TARGET' AND STDOUT FORMAT CSV",
      "SELECT 1 INTO OUTFILE 'TARGET' APPEND FORMAT CSV SETTINGS max_threads = 1",
      "SHOW TABLES INTO OUTFILE 'TARGET'",
      "EXPLAIN SELECT 1 INTO OUTFILE 'TARGET'",
      "EXPLAIN AST SELECT 1 INTO OUTFILE 'TARGET'",
      "DESCRIBE t INTO OUTFILE 'TARGET'",
      'CREATE TABLE custom_data.u (a UInt8) ENGINE = Memory',
      'CREATE TEMPORARY TABLE u (a UInt8)',
      'CREATE VIEW custom_data.u AS SELECT 1',
      'CREATE FUNCTION f AS (x) -> x',
      'CREATE DATABASE d',
      'DROP TABLE t',
      'TRUNCATE TABLE t',
      'ALTER TABLE t DELETE WHERE 1',
      'DELETE FROM t WHERE 1',
      'UPDATE t SET name = 1 WHERE 1',
      'RENAME TABLE t TO u',
      'OPTIMIZE TABLE t FINAL',
      'DETACH TABLE t',
      'ATTACH TABLE t',
      'EXCHANGE TABLES t AND t',
      "BACKUP TABLE t TO File('TARGET')",
      "RESTORE TABLE t FROM File('SECRET')",
      'SYSTEM FLUSH LOGS',
      'SYSTEM SHUTDOWN',
      'KILL QUERY WHERE 1',
      'KILL MUTATION WHERE 1',
      'GRANT ALL ON *.* TO default',
      'SET readonly = 0',
      'USE system',
      'SELECT 1; DROP TABLE t',
      "SELECT 1; SELECT 2 INTO OUTFILE 'TARGET'",
      'SELECT 1 PARALLEL WITH DROP TABLE t',
      'EXECUTE AS default SELECT 1',
      'CHECK TABLE t',
    ])('%s', async (query) => {
      await refused(query);
      expect(existsSync(places.target)).toBe(false);
    });
  });

  describe('read files, open addresses or start programs:', () => {
    test.each([
      "SELECT file('SECRET')",
      "SELECT `file`('SECRET')",
      'SELECT "file"(\'SECRET\')',
      "SELECT file /* */ ('SECRET')",
      "SELECT upper(file('SECRET'))",
      "SELECT arrayMap(x -> file(x), ['SECRET'])",
      "SELECT arrayMap(file, ['SECRET'])",
      "WITH x -> file(x) AS f SELECT f('SECRET')",
      "SELECT * APPLY(file) FROM (SELECT 'SECRET')",
      "SELECT * APPLY(x -> file(x)) FROM (SELECT 'SECRET')",
      "SELECT * REPLACE(file(a) AS a) FROM (SELECT 'SECRET' AS a)",
      "SELECT COLUMNS('a') APPLY file FROM (SELECT 'SECRET' AS a)",
      "WITH a AS (SELECT file('SECRET') AS b) SELECT b FROM a",
      "SELECT (SELECT file('SECRET'))",
      "SELECT * FROM view(SELECT file('SECRET'))",
      "SELECT 1 ORDER BY file('SECRET')",
      "SELECT 1 LIMIT length(file('SECRET'))",
      "SELECT a FROM (SELECT 1 AS a) ORDER BY a WITH FILL TO 3 INTERPOLATE (a AS file('SECRET'))",
      "SELECT sum(1) OVER (PARTITION BY file('SECRET'))",
      "SHOW TABLES WHERE file('SECRET') != ''",
      "SHOW COLUMNS FROM t WHERE file('SECRET') != ''",
      "EXPLAIN SELECT file('SECRET')",
      "EXPLAIN QUERY TREE SELECT file('SECRET')",
      "DESCRIBE (SELECT file('SECRET'))",
      "SELECT * FROM file('SECRET', 'CSV', 'a String')",
      "SELECT * FROM File('SECRET', 'CSV', 'a String')",
      "DESCRIBE file('SECRET')",
      "DESCRIBE TABLE file('SECRET', 'CSV', 'a String')",
      "SELECT 1 IN file('SECRET', 'CSV', 'a String')",
      "SELECT * FROM (SELECT * FROM file('SECRET', 'CSV', 'a String') SETTINGS readonly = 0)",
      "SELECT 1 UNION ALL SELECT * FROM file('SECRET', 'CSV', 'a String') SETTINGS readonly = 0",
      "SELECT * FROM fileCluster('default', 'SECRET', 'CSV', 'a String')",
      'SELECT * FROM default.`SECRET`',
      'SELECT * FROM `default`.`SECRET`',
      'SELECT * FROM `SECRET`',
      'SELECT 1 IN default.`SECRET`',
      'EXISTS TABLE default.`SECRET`',
      'DESCRIBE default.`SECRET`',
      'SHOW CREATE TABLE default.`SECRET`',
      "SELECT * FROM merge('default', '.*')",
      "SELECT * FROM filesystem('SECRET')",
      "SELECT * FROM url('http://ADDRESS/', 'CSV', 'a String')",
      "SELECT * FROM (SELECT * FROM url('http://ADDRESS/', 'CSV', 'a String') SETTINGS readonly = 0)",
      "SELECT * FROM urlCluster('default', 'http://ADDRESS/', 'CSV', 'a String')",
      "DESCRIBE url('http://ADDRESS/', 'CSV')",
      "SELECT * FROM s3('http://ADDRESS/a.csv', 'CSV', 'a String')",
      "SELECT * FROM gcs('http://ADDRESS/a.csv', 'CSV', 'a String')",
      "SELECT * FROM hdfs('hdfs://ADDRESS/a', 'CSV', 'a String')",
      "SELECT * FROM azureBlobStorage('http://ADDRESS', 'c', 'a.csv')",
      "SELECT * FROM iceberg('http://ADDRESS/')",
      "SELECT * FROM icebergLocal('SECRET')",
      "SELECT * FROM deltaLake('http://ADDRESS/')",
      "SELECT * FROM deltaLakeLocal('SECRET')",
      "SELECT * FROM paimonLocal('SECRET')",
      "SELECT * FROM hudi('http://ADDRESS/')",
      "SELECT * FROM remote('ADDRESS', system.one)",
      "SELECT * FROM remoteSecure('ADDRESS', system.one)",
      "SELECT * FROM cluster('default', system.one)",
      "SELECT * FROM mysql('ADDRESS', 'd', 't', 'u', 'p')",
      "SELECT * FROM postgresql('ADDRESS', 'd', 't', 'u', 'p')",
      "SELECT * FROM mongodb('ADDRESS', 'd', 't', 'u', 'p', 'a String')",
      "SELECT * FROM redis('ADDRESS', 'k', 'k String')",
      "SELECT * FROM sqlite('SECRET', 't')",
      "SELECT * FROM odbc('DSN=x', 't')",
      "SELECT * FROM jdbc('x', 't')",
      "SELECT * FROM ytsaurus('ADDRESS', 't', 'x', 'a String')",
      "SELECT * FROM executable('id', 'CSV', 'a String')",
      "SELECT * FROM python('x')",
      'SELECT * FROM Python(x)',
      "SELECT * FROM dictionary('x')",
      "SELECT * FROM input('a String')",
      "SELECT * FROM eval('SELECT 1')",
      'SELECT * FROM loop(numbers(1))',
      "SELECT * FROM viewExplain('EXPLAIN', '', (SELECT 1))",
      "EXPLAIN TABLE OVERRIDE mysql('ADDRESS', 'd', 't', 'u', 'p') COLUMNS (a String)",
      "SELECT catboostEvaluate('SECRET', 1)",
      'SELECT * FROM system.models',
      'SELECT * FROM system.`models`',
      'SELECT * FROM system.stack_trace',
      'SELECT count() FROM (SELECT 1 WHERE 1 IN system.models)',
      "SELECT aiGenerate('x')",
      'SELECT 1 FORMAT AvroConfluent',
    ])('%s', async (query) => {
      await refused(query);
    });

    test('through bound identifiers', async () => {
      await refused('SELECT * FROM {a:Identifier}.{b:Identifier}', {
        param_a: 'default',
        param_b: places.secret,
      });
      await refused('SELECT * FROM {a:Identifier}.{b:Identifier}', {
        param_a: 'system',
        param_b: 'models',
      });
      await refused('SELECT * FROM system.{b:Identifier}', { param_b: 'stack_trace' });
      await refused('SELECT {f:Identifier}(1)', { param_f: 'file' });
    });

    test('through URL parameters', async () => {
      const { secret, target, address } = places;
      const template = { format_template_row: secret, format_template_resultset: secret };
      await refused('SELECT 1 FORMAT Template', template);
      await refused('SELECT 1 FORMAT AvroConfluent', {
        format_avro_schema_registry_url: `http://${address}/`,
      });
      await refused(`SELECT * FROM file('SECRET', 'CSV', 'a String')`, { readonly: '0' });
      await refused('SELECT 1', { database: `x\` ; DROP TABLE t` });
      await refused('SELECT 1', { 'param_a = 1, readonly': '0' });
      const written = await ask(server.url, 'SELECT 1 AS a FORMAT Protobuf', {
        format_schema: `${secret}:x`,
        output_format_schema: target,
      });
      expect(written.text).toBe('\u0002\b\u0001');
    });
  });

  test.each([
    [
      "SELECT 'INTO OUTFILE', 'file(''/x'')', 'SETTINGS'",
      "INTO OUTFILE\tfile(\\'/x\\')\tSETTINGS\n",
    ],
    ["SELECT $$KILL QUERY; url('x')$$ -- INTO OUTFILE 'x'", "KILL QUERY; url(\\'x\\')\n"],
    ['SELECT 1 /* SETTINGS readonly = 0; DROP TABLE t */', '1\n'],
    ['SELECT x.file FROM (SELECT 1 AS `x.file`) AS y', '1\n'],
    ["SELECT url FROM (SELECT 'a' AS url)", 'a\n'],
    ["SELECT format('{}!', 'a')", 'a!\n'],
    ["SELECT domain('http://example.com/x')", 'example.com\n'],
    ["SELECT count() > 0 FROM system.settings WHERE name = 'readonly'", '1\n'],
  ])('words inside literals and comments are data: %s', async (query, text) => {
    expect((await ask(server.url, query)).text).toBe(text);
  });
});
