import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

import { ChdbWarehouse } from '../../../../src/warehouse/chdb/chdb-warehouse.js';
import { blockOf, column, STRING, UINT32, UINT64 } from '../../../../src/warehouse/native/block.js';
import { WarehouseError, type NativeBlock } from '../../../../src/warehouse/warehouse.js';
import { openEmptyWarehouse, type TestWarehouse } from '../../../support/chdb/warehouse.js';

let opened: TestWarehouse;
beforeAll(async () => {
  opened = await openEmptyWarehouse();
});
afterAll(() => opened.close());

async function createTable(name: string, columns: string): Promise<void> {
  await opened.warehouse.execute(
    `CREATE TABLE ${opened.database}.${name} (${columns}) ENGINE = MergeTree ORDER BY tuple()`,
  );
}

function numbers(rows: number): NativeBlock {
  const values = Array.from({ length: rows }, (_, index) => index);
  return blockOf(
    [
      column('n', UINT32, values),
      column(
        's',
        STRING,
        values.map((n) => `value ${n}`),
      ),
    ],
    rows,
  );
}

async function failureOf(statement: Promise<unknown>): Promise<WarehouseError> {
  const error: unknown = await statement.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(WarehouseError);
  return error as WarehouseError;
}

describe('insert', () => {
  test.each([10, 300_000])('a block of %d rows becomes one part', async (rows) => {
    const { warehouse, database } = opened;
    await createTable(`parts${rows}`, 'n UInt32, s String');
    await warehouse.insert(`parts${rows}`, numbers(rows));
    const parts = await warehouse.query<{ rows: string }>(
      'SELECT rows FROM system.parts WHERE database = {database:String} AND table = {table:String}',
      { database, table: `parts${rows}` },
    );
    expect(parts).toEqual([{ rows: String(rows) }]);
  });

  test('columns that a block leaves out have their defaults', async () => {
    const { warehouse, database } = opened;
    await createTable(
      'defaults',
      "extra String DEFAULT 'none', s LowCardinality(String), n UInt64",
    );
    await warehouse.insert('defaults', numbers(1));
    expect(await warehouse.query(`SELECT * FROM ${database}.defaults`)).toEqual([
      { extra: 'none', s: 'value 0', n: '0' },
    ]);
  });

  test('many in flight are all stored, and no file is left', async () => {
    const { warehouse, database, dataDir } = opened;
    await createTable('many', 'n UInt32, s String');
    await Promise.all(Array.from({ length: 20 }, () => warehouse.insert('many', numbers(1_000))));
    expect(await warehouse.query(`SELECT count() AS rows FROM ${database}.many`)).toEqual([
      { rows: '20000' },
    ]);
    expect(await readdir(join(dataDir, 'warehouse-blocks'))).toEqual([]);
  });
});

describe('query', () => {
  test('values are bound, never read as SQL', async () => {
    const value = `'; DROP TABLE x -- \\ \n {a:String}`;
    const rows = await opened.warehouse.query(
      'SELECT {text:String} AS text, {list:Array(String)} AS list, {id:UUID} AS id',
      { text: value, list: [value, ''], id: '0193c2f0-1a2b-7c3d-8e4f-a5b6c7d8e9fa' },
    );
    expect(rows).toEqual([
      { text: value, list: [value, ''], id: '0193c2f0-1a2b-7c3d-8e4f-a5b6c7d8e9fa' },
    ]);
  });

  test('large integers go in as bigint and come out as strings', async () => {
    const rows = await opened.warehouse.query(
      'SELECT {one:UInt128} AS one, {list:Array(UInt128)} AS list, toUInt64(1) AS small',
      { one: 2n ** 127n, list: [2n ** 127n, 1n] },
    );
    const large = '170141183460469231731687303715884105728';
    expect(rows).toEqual([{ one: large, list: [large, '1'], small: '1' }]);
  });

  test('many at once each see their own parameters', async () => {
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, n) =>
        opened.warehouse.query<{ n: number }>('SELECT {n:UInt8} AS n', { n }),
      ),
    );
    expect(answers.map(([row]) => row?.n)).toEqual([...answers.keys()]);
  });
});

test('a look-up by key waits for no query', async () => {
  let answered = 0;
  const queries = Array.from({ length: 20 }, async (_, n) => {
    await opened.warehouse.query('SELECT {n:UInt8} AS n, sleep(0.2)', { n });
    answered++;
  });
  const rows = await opened.warehouse.lookUp('SELECT count() AS keys FROM asked', numbers(10));
  expect(rows).toEqual([{ keys: '10' }]);
  expect(answered).toBeLessThan(20);
  await Promise.all(queries);
});

describe('rows of a query that failed in its middle are not those of the next', () => {
  const failing =
    'SELECT throwIf(number = 900) AS n FROM numbers(1000) ' +
    'SETTINGS max_block_size = 100, max_threads = 1';

  test.each(['rows', 'previews'] as const)('in the look-ups of %s', async (lane) => {
    const { warehouse } = opened;
    await expect(warehouse.lookUp(failing, numbers(1), lane)).rejects.toThrow('throwIf');
    const rows = await warehouse.lookUp('SELECT count() AS n FROM asked', numbers(7), lane);
    expect(rows).toEqual([{ n: '7' }]);
  });

  test.each([{}, { n: 1 }])('in queries with the parameters %o', async (parameters) => {
    const { warehouse } = opened;
    await expect(warehouse.query(failing, parameters)).rejects.toThrow('throwIf');
    expect(await warehouse.query('SELECT 7 AS n', parameters)).toEqual([{ n: 7 }]);
  });
});

describe('a failure is classified by the code of the engine', () => {
  test('out of memory', async () => {
    const failed = await failureOf(
      opened.warehouse.query(
        'SELECT groupArray(number) FROM numbers(100000000) SETTINGS max_memory_usage = 1000000',
      ),
    );
    expect(failed).toMatchObject({ failure: 'memory', code: 241 });
  });

  test('a block that breaks off is rejected, and nothing of it is stored', async () => {
    const { warehouse, database } = opened;
    await createTable('broken', 'n UInt32, s String');
    const { parts, ...block } = numbers(1_000);
    const cut = [...parts.slice(0, -1), parts.at(-1)!.subarray(0, -10)];
    expect(await failureOf(warehouse.insert('broken', { ...block, parts: cut }))).toMatchObject({
      failure: 'rejected',
      code: 33,
    });
    expect(await warehouse.query(`SELECT * FROM ${database}.broken`)).toEqual([]);
  });

  test('a row that a constraint of the table forbids is rejected', async () => {
    await createTable('constrained', 'n UInt64, CONSTRAINT small CHECK n < 10');
    const block = blockOf([column('n', UINT64, [1, 10])], 2);
    expect(await failureOf(opened.warehouse.insert('constrained', block))).toMatchObject({
      failure: 'rejected',
      code: 469,
    });
  });

  test('a missing table may be there later', async () => {
    expect(await failureOf(opened.warehouse.insert('missing', numbers(1)))).toMatchObject({
      failure: 'retry',
      code: 60,
    });
  });

  test('a disk that does not take the block may do so later', async () => {
    const { warehouse, dataDir } = opened;
    await createTable('later', 'n UInt32, s String');
    await rm(join(dataDir, 'warehouse-blocks'), { recursive: true });
    const failed = await failureOf(warehouse.insert('later', numbers(1)));
    expect(failed.failure).toBe('retry');
    expect(failed.code).toBeUndefined();
  });
});

test('a second data folder in the same process is refused', async () => {
  await expect(ChdbWarehouse.open(join(opened.dataDir, 'other'), 'other')).rejects.toThrow(
    'is it open elsewhere?',
  );
});
