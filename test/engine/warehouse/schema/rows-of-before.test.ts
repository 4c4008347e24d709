import { afterEach, beforeEach, expect, test } from '@jest/globals';

import { migrate } from '../../../../src/warehouse/schema/migrate.js';
import { openEmptyWarehouse, passingOn, type TestWarehouse } from '../../../helpers/warehouse.js';
import { migrateKilledOften } from './killed-migrations.js';

/** Rows that were stored when each text had a column of its own, and programs that still write them. */

let opened: TestWarehouse;
beforeEach(async () => {
  opened = await openEmptyWarehouse();
});
afterEach(() => opened.close());

const VIEWS = ['cost_rows', 'cost_report', 'cost_summary', 'self_serve_rows', 'self_serve_report'];

/** Runs the scripts up to the one of this number. */
async function migrateUpTo(last: number): Promise<void> {
  const { warehouse, database } = opened;
  const before = passingOn(warehouse, {
    async insert(table, block) {
      await warehouse.insert(table, block);
      const rows = await warehouse.query<{ number: number }>(
        `SELECT max(number) AS number FROM ${database}.schema_migrations`,
      );
      if (rows[0]!.number === last) throw new Error('far enough');
    },
  });
  await expect(migrate(before, database)).rejects.toThrow('far enough');
}

/** What a program of before sends: the columns by name, a value for each. */
const insertCost = (key: string, version: number, rows: string): string =>
  `INSERT INTO custom_data.cost
   (account, date, channel, campaign, version, request_id, uploaded_at, rows, totals)
   SELECT 'acme', '2026-03-01', 'radio', '${key}', ${version},
     '0193c2f0-0000-7000-8000-00000000000${version}', '2026-03-02 00:00:00', [${rows}],
     [('EUR', 5, 2, 0.5)]`;

const insertSelfServe = (key: string, version: number, rows: string): string =>
  `INSERT INTO custom_data.self_serve
   (account, date, channel, event_category, version, request_id, uploaded_at, rows)
   SELECT 'acme', '2026-03-01', 'radio', '${key}', ${version},
     '0193c2f0-0000-7000-8000-00000000000${version}', '2026-03-02 00:00:00', [${rows}]`;

const numbered = (count: number): string =>
  Array.from({ length: count }, (_, i) => `'text ${i}'`).join(', ');
const blank = (count: number): string => Array.from({ length: count }, () => `''`).join(', ');
/** Everything that a text may have, at its ends too. */
const ODD = `'größe\\t"日本"\\n,\\x01\\x7f'`;

const COST_ROWS = [
  `('EUR', 1, 2, -0.1, ${numbered(15)})`,
  `('USD', 0, 0, 0, ${blank(15)})`,
  `('EUR', 999999999999, 1, 1e300, ${ODD}, ${blank(13)}, ${ODD})`,
];
const SELF_SERVE_ROWS = [
  `(1.5, ${numbered(13)}, true, false)`,
  `(-2, ${blank(13)}, NULL, NULL)`,
  `(0, ${ODD}, ${blank(12)}, false, NULL)`,
];

async function seen(): Promise<unknown[]> {
  const { warehouse, database } = opened;
  return Promise.all(
    VIEWS.map((view) => warehouse.query(`SELECT * FROM ${database}.${view} ORDER BY ALL`)),
  );
}

async function writeAsBefore(): Promise<void> {
  const { warehouse } = opened;
  await warehouse.execute(insertCost('three', 1, COST_ROWS.join(', ')));
  await warehouse.execute(insertCost('one', 1, COST_ROWS[1]!));
  await warehouse.execute(insertCost('one', 2, COST_ROWS[0]!));
  await warehouse.execute(insertSelfServe('Three', 1, SELF_SERVE_ROWS.join(', ')));
  await warehouse.execute(insertSelfServe('One', 1, SELF_SERVE_ROWS[1]!));
}

test('show as they did before, however often the migration was killed, and after a merge', async () => {
  const { warehouse, database } = opened;
  await migrateUpTo(110);
  await writeAsBefore();
  const before = await seen();
  expect(before.map((rows) => (rows as unknown[]).length)).toEqual([4, 3, 2, 4, 4]);

  await migrateKilledOften(opened);
  expect(await seen()).toEqual(before);
  for (const table of ['cost', 'self_serve']) {
    await warehouse.execute(`OPTIMIZE TABLE ${database}.${table} FINAL`);
  }
  expect(await seen()).toEqual(before);
});

test('are still taken from a program of before until the old column is dropped', async () => {
  const { warehouse, database } = opened;
  await migrateUpTo(110);
  await writeAsBefore();
  const before = await seen();
  for (const table of ['cost', 'self_serve']) {
    await warehouse.execute(`TRUNCATE TABLE ${database}.${table}`);
  }
  await migrateUpTo(111);
  await writeAsBefore();
  expect(await seen()).toEqual(before);
  await migrate(warehouse, database);
  expect(await seen()).toEqual(before);
});

test('are refused from the first statement of 201 on', async () => {
  const { warehouse, database } = opened;
  await migrateUpTo(111);
  let written = 0;
  const beside = passingOn(warehouse, {
    async execute(sql) {
      await warehouse.execute(sql);
      if (!sql.includes('self_serve')) return;
      await expect(
        warehouse.execute(insertSelfServe('One', 1, SELF_SERVE_ROWS[0]!)),
      ).rejects.toMatchObject({ failure: 'retry' });
      written++;
    },
  });
  await migrate(beside, database);
  expect(written).toBe(4);
});

test('no longer fit then: an upload of such a program waits, it does not fail', async () => {
  const { warehouse, database } = opened;
  await migrate(warehouse, database);
  await expect(warehouse.execute(insertCost('one', 1, COST_ROWS[0]!))).rejects.toMatchObject({
    failure: 'retry',
  });
});
