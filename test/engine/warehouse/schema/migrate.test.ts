import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';

import { blockOf, column } from '../../../../src/warehouse/native/block.js';
import { STRING, UINT16 } from '../../../../src/warehouse/native/column-types.js';
import {
  migrate,
  NewerSchemaError,
  waitForSchema,
} from '../../../../src/warehouse/schema/migrate.js';
import { openEmptyWarehouse, type TestWarehouse } from '../../../helpers/warehouse.js';
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
      { number: 103, name: 'metrics' },
      { number: 104, name: 'requests' },
      { number: 105, name: 'reports' },
      { number: 106, name: 'erasures' },
      { number: 107, name: 'audit' },
      { number: 108, name: 'merges' },
      { number: 109, name: 'cost-summary' },
      { number: 110, name: 'cleanup' },
      { number: 111, name: 'csv-rows' },
      { number: 201, name: 'old-rows' },
      { number: 202, name: 'insert-probes' },
    ]);
  });

  test('changes nothing the second time', async () => {
    await migrate(opened.warehouse, opened.database);
    const before = await recorded();
    await migrate(opened.warehouse, opened.database);
    expect(await recorded()).toEqual(before);
  });

  test('completes one that was killed, after whichever statement', async () => {
    expect(await migrateKilledOften(opened)).toBeGreaterThan(30);
    expect(await objects()).toEqual(OBJECTS);
  });

  test('goes on where a newer program of the same major version has been', async () => {
    const { warehouse, database } = opened;
    await migrate(warehouse, database);
    await record(299);
    await warehouse.execute(`DROP TABLE ${database}.insert_probes`);
    await warehouse.execute(`DELETE FROM ${database}.schema_migrations WHERE number = 202`);
    await migrate(warehouse, database);
    expect(await objects()).toEqual(OBJECTS);
    expect((await recorded()).slice(-2)).toEqual([
      { number: 202, name: 'insert-probes' },
      { number: 299, name: 'newer' },
    ]);
  });

  test('refuses a newer major version before it changes anything', async () => {
    const { warehouse, database } = opened;
    await migrate(warehouse, database);
    await record(301);
    await warehouse.execute(`DROP VIEW ${database}.cost_summary`);
    await expect(migrate(warehouse, database)).rejects.toThrow(NewerSchemaError);
    expect(await objects()).not.toContain('cost_summary');
  });
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
    await record(301);
    await expect(waitForSchema(warehouse, database, new AbortController().signal)).rejects.toThrow(
      NewerSchemaError,
    );
  });

  test('ends when it is told to', async () => {
    const stop = new AbortController();
    const waiting = waitForSchema(opened.warehouse, opened.database, stop.signal);
    stop.abort();
    await expect(waiting).rejects.toThrow('aborted');
  });
});
