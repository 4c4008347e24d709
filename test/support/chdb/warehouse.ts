import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { ChdbWarehouse } from '../../../src/warehouse/chdb/chdb-warehouse.js';
import { migrate } from '../../../src/warehouse/schema/migrate.js';
import type { Warehouse } from '../../../src/warehouse/warehouse.js';

export interface TestWarehouse {
  readonly warehouse: ChdbWarehouse;
  readonly database: string;
  readonly dataDir: string;
  /** Closes the warehouse and removes its folder. */
  close(): Promise<void>;
}

/**
 * Opens a warehouse with the whole schema in a temporary folder.
 *
 * A process can open only one data folder at a time. So a test file opens one warehouse in
 * `beforeAll` and closes it in `afterAll`: the next file may run in the same process.
 */
export async function openTestWarehouse(): Promise<TestWarehouse> {
  const test = await openEmptyWarehouse();
  await migrate(test.warehouse, test.database);
  return test;
}

/** Same as `openTestWarehouse`, but without the schema. */
export async function openEmptyWarehouse(): Promise<TestWarehouse> {
  const dataDir = await mkdtemp(join(tmpdir(), 'custom-data-warehouse-'));
  const database = 'custom_data';
  const warehouse = await ChdbWarehouse.open(dataDir, database);
  return {
    warehouse,
    database,
    dataDir,
    async close() {
      await warehouse.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** Overrides some methods of a warehouse and forwards the others to it. */
export function passingOn(warehouse: Warehouse, own: Partial<Warehouse>): Warehouse {
  return {
    execute: (sql) => warehouse.execute(sql),
    insert: (table, block) => warehouse.insert(table, block),
    query: (sql, parameters) => warehouse.query(sql, parameters),
    lookUp: (sql, asked, lane) => warehouse.lookUp(sql, asked, lane),
    close: () => warehouse.close(),
    ...own,
  };
}
