import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

import { filledIn } from '../../../../src/warehouse/schema/placeholders.js';
import { migrate } from '../../../../src/warehouse/schema/migrate.js';
import type { Warehouse } from '../../../../src/warehouse/warehouse.js';
import { openEmptyWarehouse, type TestWarehouse } from '../../../support/chdb/warehouse.js';

describe('a script', () => {
  const script = `CREATE TABLE {database}.t{local}{everywhere} (n Int8) ENGINE = {Replicated}MergeTree;
    {on a cluster} CREATE TABLE {database}.t{everywhere} ENGINE = Distributed({cluster}, t{local});
    CREATE VIEW {database}.v{everywhere} AS SELECT 1 {GLOBAL}NOT IN (2)`;

  test('has each table once on a single server', () => {
    expect(filledIn(script, 'd', undefined)).toEqual([
      'CREATE TABLE `d`.t (n Int8) ENGINE = MergeTree',
      'CREATE VIEW `d`.v AS SELECT 1 NOT IN (2)',
    ]);
  });

  test('has each table behind a distributed one on a cluster', () => {
    expect(filledIn(script, 'd', 'eu')).toEqual([
      "CREATE TABLE `d`.t_local ON CLUSTER 'eu' (n Int8) ENGINE = ReplicatedMergeTree",
      "CREATE TABLE `d`.t ON CLUSTER 'eu' ENGINE = Distributed('eu', t_local)",
      "CREATE VIEW `d`.v ON CLUSTER 'eu' AS SELECT 1 GLOBAL NOT IN (2)",
    ]);
  });

  test('with another placeholder is refused', () => {
    expect(() => filledIn('SELECT {what}', 'd', 'eu')).toThrow(
      'the schema has no placeholder {what}',
    );
  });
});

/** The engine in the process belongs to no cluster. This records statements and runs none. */
function recordingIn(run: string[]): Warehouse {
  return {
    execute: (sql) => Promise.resolve(void run.push(sql)),
    insert: () => Promise.resolve(),
    query: () => Promise.resolve([]),
    lookUp: () => Promise.resolve([]),
    close: () => Promise.resolve(),
  };
}

function namesOf(statements: readonly string[]): string[] {
  const name = /^CREATE [A-Z ]*?IF NOT EXISTS \S+\.(\w+)/;
  return statements.flatMap((sql) => name.exec(sql)?.[1] ?? []);
}

describe('the schema on a cluster', () => {
  let opened: TestWarehouse;
  let run: string[];

  beforeAll(async () => {
    opened = await openEmptyWarehouse();
    run = [];
    await migrate(recordingIn(run), 'custom_data', 'eu');
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
    const single: string[] = [];
    await migrate(recordingIn(single), 'custom_data');
    expect(namesOf(run)).toEqual(expect.arrayContaining(namesOf(single)));
    expect(namesOf(single)).toContain('schema_migrations');
  });

  test('every table stands behind a distributed one, sharded by account if it has accounts', () => {
    for (const sql of run.filter((each) => each.includes('MergeTree'))) {
      const [, local, columns] = /^CREATE TABLE IF NOT EXISTS \S+\.(\w+)(.*?)ENGINE = /s.exec(sql)!;
      expect(local).toMatch(/_local$/);
      const name = local!.replace('_local', '');
      const key = columns!.includes('account ') ? 'account' : 'number';
      expect(run).toContain(
        `CREATE TABLE IF NOT EXISTS \`custom_data\`.${name} ON CLUSTER 'eu' AS \`custom_data\`.${local!}\n` +
          `ENGINE = Distributed('eu', \`custom_data\`, ${local!}, cityHash64(${key}))`,
      );
    }
  });

  test('a view reads every shard once, and asks for whole tables beside it', () => {
    const views = run.filter((sql) => sql.startsWith('CREATE VIEW'));
    expect(views).toHaveLength(11);
    for (const sql of views) {
      expect(sql).not.toContain('_local');
      expect(sql.match(/\bJOIN \S*\.|\bNOT IN\b/g)?.length ?? 0).toBe(
        sql.match(/\bGLOBAL\b/g)?.length ?? 0,
      );
    }
  });

  test('a materialised view stays within a shard', () => {
    const [view, ...others] = run.filter((sql) => sql.startsWith('CREATE MATERIALIZED VIEW'));
    expect(others).toEqual([]);
    expect(view).toContain('TO `custom_data`.metric_sightings_local\n');
    expect(view).toContain('FROM `custom_data`.self_serve_local\n');
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
