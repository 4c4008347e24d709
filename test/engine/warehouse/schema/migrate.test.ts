import { copyFile, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';

import { blockOf, column, STRING, UINT16 } from '../../../../src/warehouse/native/block.js';
import { ConfigError } from '../../../../src/config/config.js';
import { migrate, waitForSchema } from '../../../../src/warehouse/schema/migrate.js';
import { openEmptyWarehouse, type TestWarehouse } from '../../../support/chdb/warehouse.js';
import { migrateKilledOften } from './killed-migrations.js';

let opened: TestWarehouse;
beforeEach(async () => {
  opened = await openEmptyWarehouse();
});
afterEach(() => opened.close());

const OBJECTS = [
  'account_erasures',
  'audit_events',
  'cost',
  'cost_report',
  'cost_rows',
  'cost_summary',
  'data_freshness',
  'insert_probes',
  'metric_archivals',
  'metric_sightings',
  'metric_sightings_of_self_serve',
  'metrics',
  'request_transitions',
  'schema_migrations',
  'self_serve',
  'self_serve_report',
  'self_serve_rows',
  'self_serve_summary',
  'spelling_variants',
  'upload_activity',
  'upload_requests',
];

async function objects(): Promise<string[]> {
  const rows = await opened.warehouse.query<{ name: string }>(
    'SELECT name FROM system.tables WHERE database = {database:String} ORDER BY name',
    { database: opened.database },
  );
  return rows.map(({ name }) => name);
}

async function recorded(): Promise<unknown[]> {
  return opened.warehouse.query(
    `SELECT number, name FROM ${opened.database}.schema_migrations ORDER BY number`,
  );
}

async function record(number: number): Promise<void> {
  const columns = [column('number', UINT16, [number]), column('name', STRING, ['newer'])];
  await opened.warehouse.insert('schema_migrations', blockOf(columns, 1));
}

describe('migrate', () => {
  test('makes the schema and records every script', async () => {
    await migrate(opened.warehouse, opened.database);
    expect(await objects()).toEqual(OBJECTS);
    expect(await recorded()).toEqual([
      { number: 101, name: 'cost' },
      { number: 102, name: 'self-serve' },
      { number: 103, name: 'metric-catalogue' },
      { number: 104, name: 'requests' },
      { number: 105, name: 'reports' },
      { number: 106, name: 'erasures' },
      { number: 107, name: 'audit' },
      { number: 108, name: 'insert-probes' },
    ]);
  });

  test('changes nothing the second time', async () => {
    await migrate(opened.warehouse, opened.database);
    const before = await recorded();
    await migrate(opened.warehouse, opened.database);
    expect(await recorded()).toEqual(before);
  });

  test('completes one that was killed, after whichever statement', async () => {
    expect(await migrateKilledOften(opened)).toBeGreaterThan(15);
    expect(await objects()).toEqual(OBJECTS);
  });

  test('goes on where a newer program of the same major version has been', async () => {
    const { warehouse, database } = opened;
    await migrate(warehouse, database);
    await record(199);
    await warehouse.execute(`DROP TABLE ${database}.insert_probes`);
    await warehouse.execute(`DELETE FROM ${database}.schema_migrations WHERE number = 108`);
    await migrate(warehouse, database);
    expect(await objects()).toEqual(OBJECTS);
    expect((await recorded()).slice(-2)).toEqual([
      { number: 108, name: 'insert-probes' },
      { number: 199, name: 'newer' },
    ]);
  });

  test('refuses a newer major version before it changes anything', async () => {
    const { warehouse, database } = opened;
    await migrate(warehouse, database);
    await record(201);
    await warehouse.execute(`DROP VIEW ${database}.cost_summary`);
    await expect(migrate(warehouse, database)).rejects.toThrow(ConfigError);
    expect(await objects()).not.toContain('cost_summary');
  });
});

/** Made-up scripts of later releases: the first adds what both can use, the second removes. */
const MADE_UP = {
  '109-notes.sql': `ALTER TABLE {database}.cost ADD COLUMN IF NOT EXISTS notes String DEFAULT campaign AFTER uploaded_at;
CREATE OR REPLACE VIEW {database}.notes AS SELECT account, notes FROM {database}.cost FINAL;`,
  '201-no-probes.sql': `ALTER TABLE {database}.cost MATERIALIZE COLUMN notes SETTINGS mutations_sync = 2;
ALTER TABLE {database}.cost MODIFY COLUMN notes DEFAULT '';
ALTER TABLE {database}.cost DROP COLUMN IF EXISTS totals;
ALTER TABLE {database}.cost MODIFY SETTING merge_selector_base = 5;`,
};

test('scripts of a later release change what is stored, however often they are killed', async () => {
  const { warehouse, database } = opened;
  await migrate(warehouse, database);
  await warehouse.execute(
    `INSERT INTO ${database}.cost (account, campaign, version) SELECT 'acme', 'spring', 1`,
  );
  const folder = await mkdtemp(join(tmpdir(), 'custom-data-schema-'));
  try {
    const released = new URL('../../../../src/warehouse/schema/', import.meta.url);
    for (const name of await readdir(released)) {
      if (/^\d/.test(name)) await copyFile(new URL(name, released), join(folder, name));
    }
    for (const [name, script] of Object.entries(MADE_UP)) {
      await writeFile(join(folder, name), script);
    }
    await migrateKilledOften(opened, pathToFileURL(`${folder}/`));
  } finally {
    await rm(folder, { recursive: true });
  }
  expect(await warehouse.query(`SELECT * FROM ${database}.notes`)).toEqual([
    { account: 'acme', notes: 'spring' },
  ]);
  expect((await recorded()).slice(-2)).toEqual([
    { number: 109, name: 'notes' },
    { number: 201, name: 'no-probes' },
  ]);
  // The current program is then too old for the schema.
  await expect(migrate(warehouse, database)).rejects.toThrow(ConfigError);
});

test('a layout of before the first release is refused, in one line that says what to do', async () => {
  const { warehouse, database } = opened;
  await warehouse.execute(`CREATE DATABASE IF NOT EXISTS ${database}`);
  await warehouse.execute(
    `CREATE TABLE ${database}.schema_migrations (number UInt16, name String) ENGINE = ReplacingMergeTree ORDER BY number`,
  );
  await warehouse.execute(`INSERT INTO ${database}.schema_migrations VALUES (101, 'cost')`);
  const refused = migrate(warehouse, database);
  await expect(refused).rejects.toThrow(ConfigError);
  await expect(refused).rejects.toThrow(
    /^the tables of custom_data have the layout of a program before the first release, .*: remove them .* and upload again$/,
  );
  expect(await objects()).toEqual(['schema_migrations']);
});

describe('waitForSchema', () => {
  test('waits until the schema is there', async () => {
    const { warehouse, database } = opened;
    let done = false;
    const waiting = waitForSchema(warehouse, database, new AbortController().signal).then(() => {
      done = true;
    });
    await warehouse.query('SELECT 1');
    expect(done).toBe(false);
    await migrate(warehouse, database);
    await waiting;
  });

  test('refuses a newer major version', async () => {
    const { warehouse, database } = opened;
    await migrate(warehouse, database);
    await record(201);
    await expect(waitForSchema(warehouse, database, new AbortController().signal)).rejects.toThrow(
      ConfigError,
    );
  });

  test('ends when it is told to', async () => {
    const stop = new AbortController();
    const waiting = waitForSchema(opened.warehouse, opened.database, stop.signal);
    stop.abort();
    await expect(waiting).rejects.toThrow('aborted');
  });
});
