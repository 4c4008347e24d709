import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

import {
  blockOf,
  column,
  BOOL,
  DATE_TIME,
  nullable,
  STRING,
  UINT128,
  UINT32,
  UINT64,
  UUID,
} from '../../../src/warehouse/native/block.js';
import {
  MOST_ASKED,
  type NativeBlock,
  type Warehouse,
  WarehouseError,
} from '../../../src/warehouse/warehouse.js';
import { array, DATE, FLOAT64, tuple } from '../../support/model/native-rows.js';
import { openWarehouseOf, WAREHOUSES, type OpenWarehouse } from '../../support/chdb/warehouses.js';

/** The contract of the port, on the engine in the process and over ClickHouse's HTTP protocol. */

function numbers(rows: number): NativeBlock {
  const values = Array.from({ length: rows }, (_, index) => index);
  const texts = values.map((n) => `value ${n}`);
  return blockOf([column('n', UINT32, values), column('s', STRING, texts)], rows);
}

async function failureOf(statement: Promise<unknown>): Promise<WarehouseError> {
  const error: unknown = await statement.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(WarehouseError);
  return error as WarehouseError;
}

describe.each(WAREHOUSES)('the warehouse as %s', (kind) => {
  let opened: OpenWarehouse;
  let warehouse: Warehouse;

  beforeAll(async () => {
    opened = await openWarehouseOf(kind);
    ({ warehouse } = opened);
    await warehouse.execute('CREATE DATABASE IF NOT EXISTS custom_data');
  });
  afterAll(() => opened.close());

  async function createTable(name: string, columns: string): Promise<void> {
    await warehouse.execute(
      `CREATE TABLE custom_data.${name} (${columns}) ENGINE = MergeTree ORDER BY tuple()`,
    );
  }

  describe('insert', () => {
    // The engine's own limit is 1,048,449 rows in a block.
    test.each([1, 1_100_000])('a block of %d rows becomes one part', async (rows) => {
      await createTable(`parts${rows}`, 'n UInt32');
      const block = blockOf([column('n', UINT32, [...Array(rows).keys()])], rows);
      await warehouse.insert(`parts${rows}`, block);
      const parts = await warehouse.query(
        `SELECT rows FROM system.parts WHERE database = 'custom_data' AND table = {table:String}`,
        { table: `parts${rows}` },
      );
      expect(parts).toEqual([{ rows: String(rows) }]);
    });

    test('every type of the schema comes back as it went in', async () => {
      const row = tuple({ currency: STRING, cost: FLOAT64, flag: nullable(BOOL) });
      await createTable(
        'types',
        `text LowCardinality(String), maybe Nullable(String), day Date, at DateTime('UTC'),
         id UUID, version UInt128, big UInt64, flag Bool,
         rows Array(Tuple(currency LowCardinality(String), cost Float64, flag Nullable(Bool)))`,
      );
      const id = '0193c2f0-1a2b-7c3d-8e4f-a5b6c7d8e9fa';
      const rows = [
        { currency: 'EUR', cost: -0.1, flag: null },
        { currency: '', cost: 5e-324, flag: true },
      ];
      const texts = ['größe 日本 🎈', '\0\t\n\\\'"'];
      await warehouse.insert(
        'types',
        blockOf(
          [
            column('text', STRING, texts),
            column('maybe', nullable(STRING), [null, '']),
            column('day', DATE, [0, 65_535]),
            column('at', DATE_TIME, [0, 4_294_967_295]),
            column('id', UUID, [id, id]),
            column('version', UINT128, [2n ** 128n - 1n, 0n]),
            column('big', UINT64, [2n ** 64n - 1n, 1]),
            column('flag', BOOL, [true, false]),
            column('rows', array(row), [rows, []]),
          ],
          2,
        ),
      );
      expect(await warehouse.query('SELECT * FROM custom_data.types ORDER BY day')).toEqual([
        {
          text: texts[0],
          maybe: null,
          day: '1970-01-01',
          at: '1970-01-01 00:00:00',
          id,
          version: String(2n ** 128n - 1n),
          big: String(2n ** 64n - 1n),
          flag: true,
          rows,
        },
        {
          text: texts[1],
          maybe: '',
          day: '2149-06-06',
          at: '2106-02-07 06:28:15',
          id,
          version: '0',
          big: '1',
          flag: false,
          rows: [],
        },
      ]);
    });

    test('columns that a block leaves out have their defaults', async () => {
      await createTable('defaults', "extra String DEFAULT 'none', s String, n UInt64");
      await warehouse.insert('defaults', numbers(1));
      expect(await warehouse.query('SELECT * FROM custom_data.defaults')).toEqual([
        { extra: 'none', s: 'value 0', n: '0' },
      ]);
    });

    test('many in flight are all stored', async () => {
      await createTable('many', 'n UInt32, s String');
      await Promise.all(Array.from({ length: 30 }, () => warehouse.insert('many', numbers(1_000))));
      expect(await warehouse.query('SELECT count() AS rows FROM custom_data.many')).toEqual([
        { rows: '30000' },
      ]);
    });

    test('parts that are empty or of many sizes arrive as one block', async () => {
      await createTable('cut', 'n UInt32, s String');
      const { parts, ...block } = numbers(50_000);
      const bytes = Buffer.concat(parts);
      const pieces: Buffer[] = [];
      for (let at = 0, size = 0; at < bytes.length; at += size, size = (size * 7 + 1) % 90_001) {
        pieces.push(bytes.subarray(at, at + size));
      }
      await warehouse.insert('cut', { ...block, parts: pieces });
      expect(
        await warehouse.query(
          `SELECT sum(n) AS sum, countIf(s = concat('value ', toString(n))) AS right
           FROM custom_data.cut`,
        ),
      ).toEqual([{ sum: String((49_999 * 50_000) / 2), right: '50000' }]);
    });
  });

  describe('query', () => {
    test('values are bound, never read as SQL', async () => {
      const value = `'; DROP TABLE x -- \\ \n\r\t {a:String} größe`;
      const parameters = {
        text: value,
        list: [value, ''],
        id: '0193c2f0-1a2b-7c3d-8e4f-a5b6c7d8e9fa',
      };
      expect(
        await warehouse.query(
          'SELECT {text:String} AS text, {list:Array(String)} AS list, {id:UUID} AS id',
          parameters,
        ),
      ).toEqual([parameters]);
    });

    test('large integers go in as bigint and come out as strings', async () => {
      const rows = await warehouse.query(
        'SELECT {one:UInt128} AS one, {list:Array(UInt128)} AS list, toUInt64(1) AS small',
        { one: 2n ** 127n, list: [2n ** 127n, 1n] },
      );
      const large = '170141183460469231731687303715884105728';
      expect(rows).toEqual([{ one: large, list: [large, '1'], small: '1' }]);
    });

    test('a list may be almost 128 KiB long', async () => {
      const list = Array.from({ length: 3_000 }, (_, index) => 2n ** 127n + BigInt(index));
      expect(
        await warehouse.query('SELECT length({list:Array(UInt128)}) AS n, {n:UInt8} AS m', {
          list,
          n: 7,
        }),
      ).toEqual([{ n: '3000', m: 7 }]);
    });

    test('many rows arrive, and none is none', async () => {
      const rows = await warehouse.query<{ n: number }>(
        "SELECT toUInt32(number) AS n, repeat('x', 100) AS s FROM numbers(50000)",
      );
      expect(rows).toHaveLength(50_000);
      expect(rows.at(-1)?.n).toBe(49_999);
      expect(await warehouse.query('SELECT 1 AS n WHERE 0')).toEqual([]);
    });

    test('many at once each see their own parameters', async () => {
      const answers = await Promise.all(
        Array.from({ length: 50 }, (_, n) =>
          warehouse.query<{ n: number }>('SELECT {n:UInt8} AS n', { n }),
        ),
      );
      expect(answers.map(([row]) => row?.n)).toEqual([...answers.keys()]);
    });
  });

  describe('look-up by key', () => {
    const LATEST = `SELECT s, toString(latest) AS n FROM asked
      INNER JOIN (SELECT s, max(n) AS latest FROM custom_data.keys
                  WHERE n >= (SELECT min(low) FROM asked) AND s IN (SELECT s FROM asked)
                  GROUP BY s) AS stored USING (s) ORDER BY s`;
    const asked = (texts: readonly string[]): NativeBlock =>
      blockOf(
        [
          column('s', STRING, texts),
          column(
            'low',
            UINT64,
            texts.map(() => 7),
          ),
        ],
        texts.length,
      );
    beforeAll(async () => {
      await createTable('keys', 's LowCardinality(String), n UInt64');
      const texts = ['größe 日本 🎈', '\0\t\n\\\'"', 'below', 'not asked', ''];
      const block = blockOf(
        [column('s', STRING, texts), column('n', UINT64, [7, 2n ** 64n - 1n, 6, 9, 8])],
        texts.length,
      );
      await warehouse.insert('keys', block);
    });

    test('keys are data: whatever they are, and they are answered alone', async () => {
      expect(
        await warehouse.lookUp(
          LATEST,
          asked(['größe 日本 🎈', '\0\t\n\\\'"', 'below', 'none', '']),
        ),
      ).toEqual([
        { s: '', n: '8' },
        { s: '\0\t\n\\\'"', n: String(2n ** 64n - 1n) },
        { s: 'größe 日本 🎈', n: '7' },
      ]);
    });

    test('of many keys, as many as may be asked for', async () => {
      const texts = Array.from({ length: MOST_ASKED }, (_, index) => `value ${index * 5}`);
      await createTable('million', 'n UInt32, s String');
      await warehouse.insert('million', numbers(1_000_000));
      expect(
        await warehouse.lookUp(
          'SELECT count() AS rows FROM custom_data.million WHERE s IN (SELECT s FROM asked)',
          asked(texts),
        ),
      ).toEqual([{ rows: String(MOST_ASKED) }]);
    });

    test('many at once each have their own keys', async () => {
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, n) =>
          warehouse.lookUp<{ s: string }>('SELECT s FROM asked', asked([`key ${n}`])),
        ),
      );
      expect(answers).toEqual(Array.from({ length: 20 }, (_, n) => [{ s: `key ${n}` }]));
    });

    test('previews have one connection, and other look-ups do not wait for it', async () => {
      const answered: string[] = [];
      const previewed = async (name: string): Promise<number> => {
        const [row] = await warehouse.lookUp<{ begun: string }>(
          'SELECT s, toUnixTimestamp64Milli(now64(3)) AS begun, sleep(1) FROM asked',
          asked([name]),
          'previews',
        );
        answered.push('preview');
        return Number(row!.begun);
      };
      const previews = ['one', 'another'].map(previewed);
      await warehouse.lookUp('SELECT s FROM asked', asked(['key']));
      answered.push('rows');
      const begun = await Promise.all(previews);
      expect(answered).toEqual(['rows', 'preview', 'preview']);
      // The later one begins when the other has slept.
      expect(Math.abs(begun[0]! - begun[1]!)).toBeGreaterThan(900);
    });

    test('one that fails may succeed later', async () => {
      expect(
        await failureOf(warehouse.lookUp('SELECT * FROM custom_data.missing', asked(['']))),
      ).toMatchObject({ failure: 'retry', code: 60 });
    });
  });

  describe('a failure is classified by the code of the engine', () => {
    test('out of memory', async () => {
      const failed = await failureOf(
        warehouse.query(
          'SELECT groupArray(number) FROM numbers(100000000) SETTINGS max_memory_usage = 1000000',
        ),
      );
      expect(failed).toMatchObject({ failure: 'memory', code: 241 });
    });

    test('a block that breaks off is rejected, and nothing of it is stored', async () => {
      await createTable('broken', 'n UInt32, s String');
      const { parts, ...block } = numbers(1_000);
      const cut = [...parts.slice(0, -1), parts.at(-1)!.subarray(0, -10)];
      expect(await failureOf(warehouse.insert('broken', { ...block, parts: cut }))).toMatchObject({
        failure: 'rejected',
        code: 33,
      });
      expect(await warehouse.query('SELECT * FROM custom_data.broken')).toEqual([]);
    });

    test.each([
      ["SELECT * FROM format('Native', 'n UInt32', unhex('0101'))", [32, 33]],
      ["SELECT toUInt8('x')", [6]],
    ])('the codes of a block mean nothing of the kind in a query: %s', async (sql, codes) => {
      const failed = await failureOf(warehouse.query(sql));
      expect(codes).toContain(failed.code);
      expect(failed.failure).toBe('retry');
    });

    test('a row that a constraint of the table forbids is rejected', async () => {
      await createTable('constrained', 'n UInt32, CONSTRAINT small CHECK n < 10');
      const block = blockOf([column('n', UINT32, [1, 10])], 2);
      expect(await failureOf(warehouse.insert('constrained', block))).toMatchObject({
        failure: 'rejected',
        code: 469,
      });
    });

    test('a missing table may be there later', async () => {
      expect(await failureOf(warehouse.insert('missing', numbers(1)))).toMatchObject({
        failure: 'retry',
        code: 60,
      });
    });

    test('so may a statement be right that is not understood', async () => {
      expect(await failureOf(warehouse.execute('MAKE TABLE t'))).toMatchObject({
        failure: 'retry',
        code: 62,
      });
    });
  });
});
