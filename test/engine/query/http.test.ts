import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';

import { ask, openQueryServer, ROWS, type TestQueryServer } from './query-server-fixture.js';

describe('the protocol', () => {
  let server: TestQueryServer;
  beforeAll(async () => {
    server = await openQueryServer();
  });
  afterAll(async () => {
    await server.close();
  });

  test('answers health checks', async () => {
    for (const path of ['/ping', '/', '/replicas_status']) {
      const response = await fetch(server.url + path);
      expect(response.status).toBe(200);
      expect(await response.text()).toBe('Ok.\n');
    }
    const head = await fetch(`${server.url}/ping`, { method: 'HEAD' });
    expect(head.status).toBe(200);
    expect(await head.text()).toBe('');
    expect((await fetch(`${server.url}/nothing`)).status).toBe(404);
    expect((await fetch(server.url, { method: 'PUT', body: 'x' })).status).toBe(405);
  });

  test('takes the query from the URL, from the body, and from both, one after the other', async () => {
    const get = await fetch(`${server.url}/?query=${encodeURIComponent('SELECT 1 AS x, 2')}`);
    expect(await get.text()).toBe('1\t2\n');
    expect((await ask(server.url, 'SELECT 3')).text).toBe('3\n');
    expect((await ask(server.url, '+ 4', { query: 'SELECT 3' })).text).toBe('7\n');
    const head = await fetch(`${server.url}/?query=SELECT%201`, { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
  });

  test('writes TabSeparated, the default format, or the format of the query', async () => {
    const plain = await ask(server.url, 'SELECT 1, NULL');
    expect(plain.text).toBe('1\t\\N\n');
    expect(plain.headers.get('content-type')).toBe('text/tab-separated-values; charset=UTF-8');
    const csv = await ask(server.url, "SELECT 'a' AS x", { default_format: 'CSVWithNames' });
    expect(csv.text).toBe('"x"\n"a"\n');
    const json = await ask(server.url, 'SELECT 1 AS x FORMAT JSONEachRow ;', {
      default_format: 'CSV',
    });
    expect(json.text).toBe('{"x":1}\n');
    expect(json.headers.get('x-clickhouse-format')).toBe('JSONEachRow');
    expect((await ask(server.url, 'SELECT 1 FORMAT Null')).text).toBe('');
    const parquet = await ask(server.url, 'SELECT * FROM t FORMAT Parquet');
    expect(parquet.text.slice(0, 4) + parquet.text.slice(-4)).toBe('PAR1PAR1');
    const arrow = await ask(server.url, 'SELECT 1 AS x FORMAT arrow');
    expect([arrow.status, arrow.text.slice(0, 6)]).toEqual([200, 'ARROW1']);
    const explained = await ask(server.url, 'EXPLAIN AST SELECT 1 FORMAT JSON');
    expect(explained.text).toContain('SelectQuery');
  });

  test('one JSON document holds all blocks of a result', async () => {
    const { text } = await ask(server.url, 'SELECT id FROM t ORDER BY id FORMAT JSONCompact');
    const document = JSON.parse(text) as { rows: number; data: unknown[] };
    expect(document.rows).toBe(ROWS);
    expect(document.data).toHaveLength(ROWS);
  });

  test('names without a database are those of the service', async () => {
    for (const database of ['', 'default', 'custom_data']) {
      const { text } = await ask(server.url, 'SELECT count() FROM t', { database });
      expect(text).toBe(`${ROWS}\n`);
    }
    const other = await ask(server.url, 'SELECT 1', { database: 'system' });
    expect([other.status, other.headers.get('x-clickhouse-exception-code')]).toEqual([404, '81']);
  });

  test('binds parameters, each request its own', async () => {
    const query = 'SELECT {s:String}, {n:UInt8}, {a:Array(String)}, {z:Nullable(String)}';
    const { text } = await ask(server.url, query, {
      param_s: "it's\\ta \\\\ тест ' OR 1=1 --",
      param_n: '7',
      param_a: "['a','b\\'c']",
      param_z: '\\N',
    });
    expect(text).toBe("it\\'s\\ta \\\\ тест \\' OR 1=1 --\t7\t['a','b\\'c']\t\\N\n");
    const table = await ask(server.url, 'SELECT count() FROM {t:Identifier}', { param_t: 't' });
    expect(table.text).toBe(`${ROWS}\n`);

    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        ask(server.url, 'SELECT {x:UInt32}, count() FROM numbers(5000000) WHERE number % 7 = 7', {
          param_x: String(index),
        }),
      ),
    );
    expect(answers.map(({ text }) => text)).toEqual(
      Array.from({ length: 40 }, (_, index) => `${index}\t0\n`),
    );
    const unset = await ask(server.url, 'SELECT {x:UInt32}');
    expect(unset.headers.get('x-clickhouse-exception-code')).toBe('456');
  });

  test('applies settings that a reader chooses and drops those that do not concern it', async () => {
    const query = "SELECT toUInt64(1) AS n, toDateTime('2024-01-02 03:04:05', 'UTC') AS t";
    const chosen = await ask(server.url, query, {
      default_format: 'JSONEachRow',
      output_format_json_quote_64bit_integers: '1',
      date_time_output_format: 'iso',
      readonly: '0',
      max_insert_block_size: '1',
      session_id: 'abc',
    });
    expect(chosen.text).toBe('{"n":"1","t":"2024-01-02T03:04:05Z"}\n');
    const next = await ask(server.url, query, { default_format: 'JSONEachRow' });
    expect(next.text).toBe('{"n":1,"t":"2024-01-02 03:04:05"}\n');

    const unknown = await ask(server.url, query, { no_such_setting: '1' });
    expect(unknown.status).toBe(404);
    expect(unknown.text).toContain('(UNKNOWN_SETTING)');
    const bad = await ask(server.url, query, { session_timezone: 'Nowhere' });
    expect(bad.status).toBe(400);
    const limited = await ask(server.url, 'SELECT * FROM t', { max_result_rows: '10' });
    expect(limited.headers.get('x-clickhouse-exception-code')).toBe('396');
  });

  test('tells the client what it needs in headers', async () => {
    const { headers } = await ask(server.url, 'SELECT 1', { query_id: 'mine' });
    expect(headers.get('x-clickhouse-query-id')).toBe('mine');
    expect(headers.get('x-clickhouse-format')).toBe('TabSeparated');
    expect(headers.get('x-clickhouse-timezone')).toBeTruthy();
    expect(headers.get('x-clickhouse-server-display-name')).toBeTruthy();
    expect(JSON.parse(headers.get('x-clickhouse-summary')!)).toMatchObject({ result_rows: '1' });
    expect(headers.get('content-length')).toBe('2');
    const none = await ask(server.url, 'SELECT 1');
    expect(none.headers.get('x-clickhouse-query-id')).toMatch(/^[0-9a-f-]{36}$/);
  });

  test.each([
    ['SELEC 1', 400, 62, 'SYNTAX_ERROR'],
    ['', 400, 62, 'SYNTAX_ERROR'],
    ['SELECT 1; SELECT 2', 400, 62, 'SYNTAX_ERROR'],
    ['SELECT * FROM nothing', 404, 60, 'UNKNOWN_TABLE'],
    ['SELECT nothing FROM t', 404, 47, 'UNKNOWN_IDENTIFIER'],
    ['SELECT nosuchfunction(1)', 404, 46, 'UNKNOWN_FUNCTION'],
    ['SELECT 1 FORMAT Nothing', 404, 73, 'UNKNOWN_FORMAT'],
    ["SELECT toUInt8('x')", 400, 6, 'CANNOT_PARSE_TEXT'],
    ['SELECT throwIf(1)', 500, 395, 'FUNCTION_THROW_IF_VALUE_IS_NON_ZERO'],
  ])('%j fails as ClickHouse does', async (query, status, code, type) => {
    const { headers, text, ...answer } = await ask(server.url, query);
    expect(text).toMatch(
      new RegExp(
        `^Code: ${code}\\. DB::Exception: .+ \\(${type}\\) \\(version [0-9.]+\\)\\n$`,
        's',
      ),
    );
    expect(text).not.toContain('formatQuery');
    expect(answer.status).toBe(status);
    expect(headers.get('x-clickhouse-exception-code')).toBe(String(code));
  });

  test('credentials are accepted and not looked at', async () => {
    const response = await fetch(`${server.url}/?query=SELECT%201&user=a&password=b`, {
      headers: { authorization: 'Basic eDp5', 'x-clickhouse-user': 'x', 'x-clickhouse-key': 'y' },
    });
    expect(await response.text()).toBe('1\n');
  });

  test('compresses when asked to', async () => {
    const raw = await getRaw(`${server.url}/?enable_http_compression=1&query=SELECT%201`, {
      'accept-encoding': 'gzip',
    });
    expect(raw.headers['content-encoding']).toBe('gzip');
    expect(gunzipSync(raw.body).toString()).toBe('1\n');
    const unasked = await getRaw(`${server.url}/?query=SELECT%201`, { 'accept-encoding': 'gzip' });
    expect(unasked.body.toString()).toBe('1\n');
  });

  test('says clearly what it does not support', async () => {
    const form = new FormData();
    form.set('query', 'SELECT 1');
    expect((await fetch(server.url, { method: 'POST', body: form })).status).toBe(501);
    const large = await ask(server.url, `SELECT '${'x'.repeat(300_000)}'`);
    expect([large.status, large.headers.get('x-clickhouse-exception-code')]).toEqual([413, '229']);
    const half = 'x'.repeat(140_000);
    const [begin, end] = [`SELECT '${half}`, `${half}'`];
    const search = new URLSearchParams({ query: begin }).toString();
    expect((await fetch(`${server.url}/?${search}`, { method: 'POST', body: end })).status).toBe(
      413,
    );
  });

  test('refuses more than a thousand parameters, and what is no path', async () => {
    const names = Array.from({ length: 1_001 }, (_, index) => [`param_p${index}`, '1'] as const);
    const many = await ask(server.url, 'SELECT 1', Object.fromEntries(names));
    expect([many.status, many.headers.get('x-clickhouse-exception-code')]).toEqual([400, '36']);
    const socket = connect(server.port, '127.0.0.1');
    socket.write('GET // HTTP/1.1\r\nHost: localhost\r\n\r\n');
    const [answer] = (await once(socket, 'data')) as [Buffer];
    expect(answer.toString()).toMatch(/^HTTP\/1.1 400 /);
    socket.destroy();
  });

  test('keeps a connection for the next request, also after an error', async () => {
    for (const query of ['SELECT 1', 'SELEC', 'SELECT 1']) {
      const { headers } = await ask(server.url, query);
      expect(headers.get('connection')).toBe('keep-alive');
    }
  });

  test.each([
    ['SHOW TABLES', 't\n'],
    ["SHOW TABLES FROM custom_data LIKE 't'", 't\n'],
    ['EXISTS TABLE t', '1\n'],
    ['DESC t', 'id\tUInt64'],
    ['SHOW CREATE TABLE t', 'CREATE TABLE custom_data.t'],
    ['SHOW COLUMNS FROM t', 'day\tDate'],
    ["SHOW SETTINGS LIKE 'max_threads'", 'max_threads'],
    ['EXPLAIN SELECT count() FROM t', 'ReadFrom'],
    ['EXPLAIN indexes = 1 SELECT count() FROM t WHERE id = 1', 'PrimaryKey'],
    ['EXPLAIN SYNTAX SELECT 1', 'SELECT 1'],
    ['WITH x AS (SELECT 1 AS a) SELECT a FROM x', '1\n'],
    ['(SELECT 1) UNION ALL (SELECT 1)', '1\n1\n'],
    ['FROM t SELECT count()', `${ROWS}\n`],
    ["SELECT count() FROM system.columns WHERE database = 'custom_data'", '3\n'],
    ['SELECT sum(number) FROM numbers(4)', '6\n'],
    ['SELECT * APPLY(toString) FROM (SELECT 1 AS a)', '1\n'],
    ['-- a comment\nSELECT /* ; */ 1 -- the end', '1\n'],
  ])('%s is answered', async (query, start) => {
    const { status, text } = await ask(server.url, query);
    expect(text).toContain(start);
    expect(status).toBe(200);
  });
});

function getRaw(
  url: string,
  headers: Record<string, string>,
): Promise<{ headers: Record<string, unknown>; body: Buffer }> {
  return new Promise((resolve, reject) => {
    request(url, { headers }, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('end', () => {
        resolve({ headers: response.headers, body: Buffer.concat(parts) });
      });
    })
      .on('error', reject)
      .end();
  });
}

test('a stop does not wait for a query of which only a part has come', async () => {
  const server = await openQueryServer();
  const client = connect(server.port, '127.0.0.1');
  client.on('error', () => undefined);
  client.write('POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\nSELECT');
  await once(client, 'connect');
  await sleep(200);
  const stopped = server.close().then(() => true);
  expect(await Promise.race([stopped, sleep(3_000, false)])).toBe(true);
  client.destroy();
});
