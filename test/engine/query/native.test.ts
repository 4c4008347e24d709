import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

import { heapUsed } from '../../support/machine/heap-used.js';
import { openQueryServer, type TestQueryServer } from './query-server-fixture.js';

describe('the Native format for a protocol version', () => {
  let server: TestQueryServer;
  beforeAll(async () => {
    server = await openQueryServer();
  });
  afterAll(async () => {
    await server.close();
  });

  async function native(query: string, version?: number): Promise<Buffer> {
    const parameters = new URLSearchParams({ default_format: 'Native' });
    if (version !== undefined) parameters.set('client_protocol_version', String(version));
    const response = await fetch(`${server.url}/?${parameters.toString()}`, {
      method: 'POST',
      body: query,
    });
    const body = Buffer.from(await response.arrayBuffer());
    if (!response.ok) throw new Error(body.toString());
    return body;
  }

  test('has block headers, and from 54454 on a mark in every column', async () => {
    const query = "SELECT toUInt8(7) AS a, 'xy' AS b";
    const head = '\x01\x00\x02\xff\xff\xff\xff\x00';
    const latin = async (version?: number): Promise<string> =>
      (await native(query, version)).toString('latin1');
    expect(await latin()).toBe('\x02\x01\x01a\x05UInt8\x07\x01b\x06String\x02xy');
    expect(await latin(54_405)).toBe(`${head}\x02\x01\x01a\x05UInt8\x07\x01b\x06String\x02xy`);
    expect(await latin(54_460)).toBe(
      `${head}\x02\x01\x01a\x05UInt8\x00\x07\x01b\x06String\x00\x02xy`,
    );
  });

  test.each([
    'toInt256(number)',
    'number % 2 = 0',
    "toFixedString('abc', 3)",
    'repeat(toString(number), number % 50)',
    'if(number % 2 = 0, NULL, toString(number))',
    'toDecimal32(number, 2)',
    'toDecimal64(number, 2)',
    'toDecimal128(number, 2)',
    'toDecimal256(number, 2)',
    'generateUUIDv4()',
    "toDateTime(number, 'Asia/Seoul')",
    "toDateTime64(number, 3, 'UTC')",
    'toDate32(number)',
    'toIPv4(1)',
    "toIPv6('::1')",
    "CAST(number % 2, 'Enum8(\\'a, (b\\' = 0, \\'c\\'\\'d\\' = 1)')",
    'toIntervalDay(number)',
    'toLowCardinality(toString(number % 1000))',
    "toLowCardinality(if(number % 2 = 0, NULL, 'x'))",
    'range(number % 5)',
    '[]',
    'arrayMap(x -> toLowCardinality(toString(x)), range(number % 3))',
    'arrayMap(x -> range(x), range(number % 4))',
    '(number, toString(number), toLowCardinality(toString(number % 3)))',
    "CAST((number, 'x'), 'Tuple(a UInt64, `b c` String)')",
    "map('a', number, toString(number), 2)",
    "CAST((1, 2), 'Point')",
    "CAST([[(1, 2), (3, 4)]], 'Polygon')",
    'NULL',
    "CAST([('EUR', '1', number)], 'Array(Tuple(currency LowCardinality(String), campaign_id String, clicks UInt64))')",
    "CAST(number, 'SimpleAggregateFunction(sum, UInt64)')",
  ])('keeps every value of %s', async (expression) => {
    const query = `SELECT ${expression} AS v, number AS n FROM numbers(3000)`;
    const plain = await native(query);
    const versioned = await native(query, 54_460);
    // 8 bytes for one block, and 1 byte for each of two columns.
    expect(versioned.length - plain.length).toBe(8 + 2);
    expect(versioned.subarray(8 + 2, 8 + 2 + 3)).toEqual(plain.subarray(2, 2 + 3));
    expect(versioned.subarray(-8 * 3000)).toEqual(plain.subarray(-8 * 3000));
  });

  test('holds through many blocks', async () => {
    const query = 'SELECT number, repeat(toString(number), 20) AS s FROM numbers(1000000)';
    const [plain, versioned] = [await native(query), await native(query, 54_460)];
    const blocks = (versioned.length - plain.length) / 10;
    expect(blocks).toBeGreaterThan(5);
    expect(Number.isInteger(blocks)).toBe(true);
    expect(await native('SELECT number FROM numbers(3) WHERE number > 5', 54_460)).toHaveLength(0);
  });

  test('has blocks as large as the client wants, of which this process holds little', async () => {
    const parameters = new URLSearchParams({
      query: "SELECT repeat('x', 1000) FROM numbers(400000)",
      default_format: 'Native',
      client_protocol_version: '54460',
      max_block_size: '400000',
    });
    const response = await fetch(`${server.url}/?${parameters.toString()}`);
    const before = process.memoryUsage().arrayBuffers;
    const grown = (): number => process.memoryUsage().arrayBuffers - before;
    const limit = 128 * 1024 * 1024;
    let [bytes, most, first] = [0, 0, Buffer.alloc(0)];
    for await (const part of response.body as unknown as AsyncIterable<Uint8Array>) {
      if (bytes === 0) first = Buffer.from(part);
      bytes += part.length;
      if (most < limit && grown() >= limit) {
        // Garbage does not count. The memory of the first collection is free after the second.
        heapUsed();
        heapUsed();
      }
      most = Math.max(most, grown());
    }
    // The head of the only block: its number of columns, then of rows.
    expect([...first.subarray(8, 12)]).toEqual([1, 0x80, 0xb5, 0x18]);
    expect(bytes).toBeGreaterThan(400_000 * 1_000);
    expect(most).toBeLessThan(limit);
  });

  test('says which type it cannot carry', async () => {
    await expect(native('SELECT sumState(1) AS s', 54_460)).rejects.toThrow(
      /^Code: 48\. DB::Exception: Type AggregateFunction\(sum, UInt8\) .*\(NOT_IMPLEMENTED\)/,
    );
  });
});
