import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { acquireDataFolder } from '../../../../src/log/lmdb/data-folder-lock.js';
import { ChdbWarehouse } from '../../../../src/warehouse/chdb/chdb-warehouse.js';
import { outcomeOf } from '../../../support/service/outcome.js';

// The engine takes one data folder per process.
let DATA_DIR: string;

beforeAll(async () => {
  DATA_DIR = await mkdtemp(join(tmpdir(), 'cli-migrate-'));
});

afterAll(async () => {
  await rm(DATA_DIR, { recursive: true });
});

test('migrate is refused while a service has the data folder', async () => {
  const release = await acquireDataFolder(DATA_DIR);
  const { code, err } = await outcomeOf({ DATA_DIR }, 'migrate');
  expect(code).toBe(1);
  expect(err).toMatch(/^error: DATA_DIR .* is in use by another service .*\n$/);
  await release();
});

test('migrate makes the schema, and once it is there changes nothing', async () => {
  const env = { DATA_DIR, CLICKHOUSE_DATABASE: 'elsewhere' };
  for (let i = 0; i < 2; i++) {
    expect(await outcomeOf(env, 'migrate')).toEqual({
      code: 0,
      out: '',
      err: 'the schema of elsewhere is up to date\n',
    });
  }
  const warehouse = await ChdbWarehouse.open(DATA_DIR, 'elsewhere');
  const tables = await warehouse.query<{ name: string }>(
    "SELECT name FROM system.tables WHERE database = 'elsewhere'",
  );
  expect(tables.map(({ name }) => name)).toEqual(expect.arrayContaining(['cost', 'metrics']));
  await warehouse.close();
});

test('migrate ends with 2 where the schema needs another program', async () => {
  const warehouse = await ChdbWarehouse.open(DATA_DIR, 'elsewhere');
  await warehouse.execute(
    "INSERT INTO elsewhere.schema_migrations (number, name) VALUES (901, 'of a later release')",
  );
  await warehouse.close();
  const { code, err } = await outcomeOf({ DATA_DIR, CLICKHOUSE_DATABASE: 'elsewhere' }, 'migrate');
  expect(code).toBe(2);
  expect(err).toMatch(/^error: the warehouse's schema has major version 9, .*\n$/);
});
