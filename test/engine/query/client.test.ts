import {
  ClickHouseError,
  ClickHouseLogLevel,
  createClient,
  type ClickHouseClient,
} from '@clickhouse/client';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

import { openQueryServer, ROWS, type TestQueryServer } from './query-server-fixture.js';

describe('@clickhouse/client', () => {
  let server: TestQueryServer;
  let client: ClickHouseClient;
  beforeAll(async () => {
    server = await openQueryServer();
    client = createClient({
      url: server.url,
      username: 'analyst',
      password: 'any',
      log: { level: ClickHouseLogLevel.OFF },
    });
  });
  afterAll(async () => {
    await client.close();
    await server.close();
  });

  test('pings', async () => {
    expect(await client.ping()).toEqual({ success: true });
    expect(await client.ping({ select: true })).toEqual({ success: true });
  });

  test('reads JSON with its metadata', async () => {
    const result = await client.query({
      query: 'SELECT id, name, day FROM t WHERE id < {n:UInt64} ORDER BY id',
      query_params: { n: 2 },
      query_id: 'from-the-client',
    });
    expect(result.query_id).toBe('from-the-client');
    expect(await result.json()).toMatchObject({
      meta: [
        { name: 'id', type: 'UInt64' },
        { name: 'name', type: 'LowCardinality(String)' },
        { name: 'day', type: 'Date' },
      ],
      data: [
        { id: 0, name: 'name 0', day: '2024-01-01' },
        { id: 1, name: 'name 1', day: '2024-01-01' },
      ],
      rows: 2,
    });
  });

  test('streams rows', async () => {
    const result = await client.query({
      query: 'SELECT id FROM t ORDER BY id',
      format: 'JSONEachRow',
      clickhouse_settings: { output_format_json_quote_64bit_integers: 1 },
    });
    let rows = 0;
    for await (const batch of result.stream<{ id: string }>()) {
      for (const row of batch) if (row.json().id === String(rows)) rows++;
    }
    expect(rows).toBe(ROWS);
  });

  test('binds parameters of every kind', async () => {
    const query_params = {
      s: "tab\t, quote ', backslash \\, line\nbreak, Straße",
      d: new Date('2024-05-06T07:08:09Z'),
      list: ['a', "b'c"],
      nothing: null,
      yes: true,
      map: { k: 1 },
    };
    const result = await client.query({
      query: `SELECT {s:String} AS s, {d:DateTime('UTC')} AS d, {list:Array(String)} AS list,
        {nothing:Nullable(String)} AS nothing, {yes:Bool} AS yes, {map:Map(String, UInt8)} AS map`,
      query_params,
      format: 'JSONEachRow',
    });
    expect(await result.json()).toEqual([{ ...query_params, d: '2024-05-06 07:08:09' }]);
  });

  test('takes compressed answers', async () => {
    const compressed = createClient({ url: server.url, compression: { response: true } });
    const result = await compressed.query({
      query: 'SELECT count() AS n, sum(id) AS s FROM t',
      format: 'JSONEachRow',
    });
    expect(await result.json()).toEqual([{ n: ROWS, s: (ROWS * (ROWS - 1)) / 2 }]);
    await compressed.close();
  });

  test('gets errors with code and type, before and within the rows', async () => {
    await expect(client.query({ query: 'SELECT nothing FROM t' })).rejects.toMatchObject({
      code: '47',
      type: 'UNKNOWN_IDENTIFIER',
    });
    const result = await client.query({
      query: "SELECT number, throwIf(number = 3000000, 'too far') FROM numbers(10000000)",
      format: 'JSONEachRow',
    });
    let failure: unknown;
    try {
      for await (const batch of result.stream()) expect(batch.length).toBeGreaterThan(0);
    } catch (error) {
      failure = error;
    }
    expect(failure).toBeInstanceOf(ClickHouseError);
    expect(failure).toMatchObject({ code: '395' });
  });

  test('cannot write', async () => {
    const refused = { code: '164', type: 'READONLY' };
    const values = [{ id: 1, name: 'a', day: '2024-01-01' }];
    await expect(
      client.insert({ table: 't', values, format: 'JSONEachRow' }),
    ).rejects.toMatchObject(refused);
    await expect(client.command({ query: 'DROP TABLE t' })).rejects.toMatchObject(refused);
    await expect(client.exec({ query: 'INSERT INTO t SELECT * FROM t' })).rejects.toMatchObject(
      refused,
    );
  });

  test('an aborted query is over', async () => {
    const controller = new AbortController();
    const query = client.query({
      query: 'SELECT count() FROM numbers(1000000000000) WHERE number % 7 = 3',
      abort_signal: controller.signal,
    });
    setTimeout(() => {
      controller.abort();
    }, 200);
    await expect(query).rejects.toThrow();
    const result = await client.query({ query: 'SELECT 1 AS x', format: 'JSONEachRow' });
    expect(await result.json()).toEqual([{ x: 1 }]);
  });
});
