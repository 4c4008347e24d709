import { readdir, readFile } from 'node:fs/promises';

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

import { onCluster } from '../../../../src/warehouse/schema/cluster.js';
import { migrate } from '../../../../src/warehouse/schema/migrate.js';
import { statementsOf } from '../../../../src/warehouse/sql.js';
import type { Warehouse } from '../../../../src/warehouse/warehouse.js';
import { openEmptyWarehouse, type TestWarehouse } from '../../../support/chdb/warehouse.js';

describe('a statement on a cluster', () => {
  test('a table is replicated on every node, behind one that is sharded by account', () => {
    expect(
      onCluster(
        'CREATE TABLE IF NOT EXISTS d.t\n(account String, n Int8)\nENGINE = ReplacingMergeTree(n)\nORDER BY n',
        'eu',
      ),
    ).toEqual([
      "CREATE TABLE IF NOT EXISTS d.t_local ON CLUSTER 'eu'\n(account String, n Int8)\nENGINE = ReplicatedReplacingMergeTree(n)\nORDER BY n",
      "CREATE TABLE IF NOT EXISTS d.t ON CLUSTER 'eu' AS d.t_local\nENGINE = Distributed('eu', d, `t_local`, cityHash64(account))",
    ]);
  });

  test('a materialised view stays within a shard', () => {
    expect(
      onCluster(
        'CREATE MATERIALIZED VIEW IF NOT EXISTS d.v\nTO d.to\nAS SELECT a\nFROM d.t\nGROUP BY a',
        'eu',
      ),
    ).toEqual([
      "CREATE MATERIALIZED VIEW IF NOT EXISTS d.v ON CLUSTER 'eu'\nTO d.to_local\nAS SELECT a\nFROM d.t_local\nGROUP BY a",
    ]);
  });

  test('a view reads every shard once', () => {
    expect(
      onCluster(
        'CREATE VIEW IF NOT EXISTS d.v\nAS SELECT a FROM d.t LEFT JOIN d.u ON a = b WHERE a NOT IN (1)',
        'eu',
      ),
    ).toEqual([
      "CREATE VIEW IF NOT EXISTS d.v ON CLUSTER 'eu'\nAS SELECT a FROM d.t GLOBAL LEFT JOIN d.u ON a = b WHERE a GLOBAL NOT IN (1)",
    ]);
  });

  test('a view that is replaced reads every shard once, too', () => {
    expect(onCluster('CREATE OR REPLACE VIEW d.v\nAS SELECT a FROM d.t', 'eu')).toEqual([
      "CREATE OR REPLACE VIEW d.v ON CLUSTER 'eu'\nAS SELECT a FROM d.t",
    ]);
  });

  test('a setting is changed where the rows are', () => {
    expect(onCluster('ALTER TABLE d.t MODIFY SETTING a = 1', 'eu')).toEqual([
      "ALTER TABLE d.t_local ON CLUSTER 'eu' MODIFY SETTING a = 1",
    ]);
  });

  test('what a column holds is made where the rows are', () => {
    expect(onCluster('ALTER TABLE d.t MATERIALIZE COLUMN a', 'eu')).toEqual([
      "ALTER TABLE d.t_local ON CLUSTER 'eu' MATERIALIZE COLUMN a",
    ]);
  });

  test.each([
    ['ADD COLUMN a Int8', ['d.t_local', 'd.t']],
    ['MODIFY COLUMN a DEFAULT 1', ['d.t_local', 'd.t']],
    ['RENAME COLUMN a TO b', ['d.t', 'd.t_local']],
    ['DROP COLUMN a', ['d.t', 'd.t_local']],
  ])('%s: the table in front never has a column that is not behind it', (change, tables) => {
    expect(onCluster(`ALTER TABLE d.t ${change}`, 'eu')).toEqual(
      tables.map((table) => `ALTER TABLE ${table} ON CLUSTER 'eu' ${change}`),
    );
  });

  test('another one is refused', () => {
    expect(() => onCluster('ALTER TABLE d.t COMMENT COLUMN a 1', 'eu')).toThrow(
      'this statement has no form on a cluster: ALTER TABLE d.t',
    );
  });
});

describe('the schema on a cluster', () => {
  let opened: TestWarehouse;
  let run: string[];

  beforeAll(async () => {
    opened = await openEmptyWarehouse();
    run = [];
    // The engine in the process belongs to no cluster. The test records statements and runs none.
    const recording: Warehouse = {
      execute: (sql) => Promise.resolve(void run.push(sql)),
      insert: () => Promise.resolve(),
      query: () => Promise.resolve([]),
      lookUp: () => Promise.resolve([]),
      close: () => Promise.resolve(),
    };
    await migrate(recording, 'custom_data', 'eu');
  });
  afterAll(() => opened.close());

  test('the engine understands every statement', async () => {
    expect(run.length).toBeGreaterThan(15);
    for (const sql of run) {
      const tree = await opened.warehouse.query<{ explain: string }>(`EXPLAIN AST ${sql}`);
      expect(tree[0]?.explain).toMatch(/^(CreateQuery|AlterQuery) /);
      expect(sql).toContain("ON CLUSTER 'eu'");
    }
  });

  test('it has every name of the schema of one server', async () => {
    const folder = new URL('../../../../src/warehouse/schema/', import.meta.url);
    const scripts = (await readdir(folder)).filter((name) => /^\d/.test(name));
    const names = /^(?:CREATE [A-Z ]*?IF NOT EXISTS|CREATE OR REPLACE VIEW|ALTER TABLE) \S+\.(\w+)/;
    const expected: string[] = [];
    for (const script of scripts) {
      for (const sql of statementsOf(await readFile(new URL(script, folder), 'utf8'))) {
        expected.push(names.exec(sql)![1]!);
      }
    }
    const made = run.flatMap((sql) => names.exec(sql)?.[1] ?? []);
    expect(made).toEqual(expect.arrayContaining(expected));
    expect(made).toContain('schema_migrations');
  });

  test('every table that holds rows is replicated and synced', () => {
    const tables = run.filter((sql) => sql.includes('MergeTree'));
    expect(tables).toHaveLength(9);
    for (const sql of tables) {
      expect(sql).toMatch(/ENGINE = Replicated(?:Replacing|Aggregating)?MergeTree/);
      expect(sql).toContain('fsync_after_insert = 1');
    }
  });
});
