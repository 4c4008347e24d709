import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

import { v7 as uuidv7 } from 'uuid';
import { lastVersionAt } from '../../../../src/domain/version.js';
import { eraseRows } from '../../../../src/operator/erasure/erase-rows.js';
import { SqlRequestStore } from '../../../../src/status/sql-request-store.js';
import type { StoredTables } from '../../../../src/warehouse/rows/delete-where.js';
import { migrate } from '../../../../src/warehouse/schema/migrate.js';
import type { Warehouse } from '../../../../src/warehouse/warehouse.js';
import { ClickHouseHttp } from '../../../support/clickhouse/clickhouse-http.js';
import { storageBlock, type StoredKey } from '../../../support/model/native-rows.js';
import { withoutKeeper } from '../../../support/clickhouse/without-keeper.js';
import { openTestWarehouse, type TestWarehouse } from '../../../support/chdb/warehouse.js';
import { connectTo } from '../../../support/chdb/warehouses.js';

const AT = 1_795_240_000_000;
const ERASURE = { account: "ac'me", version: lastVersionAt(AT), actor: 'operator:me', at: AT };
const HOUR_S = 3_600;
const TABLES = ['cost', 'self_serve', 'request_transitions', 'metric_sightings'] as const;

/** Writes to every table what an upload leaves there. */
async function store(warehouse: Warehouse, account: string, version: bigint): Promise<void> {
  const seconds = Math.floor(AT / 1000) + (version > ERASURE.version ? HOUR_S : -HOUR_S);
  const id = uuidv7({ msecs: AT });
  const key: StoredKey = {
    account,
    date: new Date().toISOString().slice(0, 10),
    channel: 'news',
    third: `m${version}`,
    version,
    requestId: id,
    uploadedAt: seconds,
    rows: [{ currency: 'EUR', impressions: 10, clicks: 1, cost: 0.5 }],
  };
  await warehouse.insert('cost', storageBlock('cost', [key]));
  const event = { ...key, channel: 'News', rows: [{ event_value: 1 }] };
  await warehouse.insert('self_serve', storageBlock('self_serve', [event]));
  const at = new Date(seconds * 1000).toISOString().slice(0, 19);
  await new SqlRequestStore(warehouse, 'custom_data').writeTransitions([
    {
      requestId: id,
      account,
      family: 'cost',
      status: 'uploaded',
      prevStatus: null,
      reason: null,
      createdAt: at,
      updatedAt: at,
      version: version.toString(),
      sentMax: '0',
    },
  ]);
}

async function remaining(warehouse: Warehouse): Promise<string[]> {
  const rows: string[] = [];
  for (const table of TABLES) {
    const accounts = await warehouse.query<{ account: string }>(
      `SELECT DISTINCT account FROM custom_data.${table} ORDER BY account`,
    );
    rows.push(`${table} ${accounts.map(({ account }) => account).join()}`);
  }
  return rows;
}

/** The accounts that each view shows. */
async function shown(warehouse: Warehouse): Promise<Record<string, string>> {
  const views = await warehouse.query<{ name: string }>(
    "SELECT name FROM system.tables WHERE database = 'custom_data' AND engine = 'View'",
  );
  const accounts: Record<string, string> = {};
  for (const { name } of views) {
    const rows = await warehouse.query<{ account: string }>(
      `SELECT DISTINCT account FROM custom_data.${name} ORDER BY account`,
    );
    accounts[name] = rows.map(({ account }) => account).join();
  }
  return accounts;
}

async function expectErased(tables: StoredTables): Promise<void> {
  const { warehouse } = tables;
  for (const account of [ERASURE.account, 'acme', 'other']) {
    await store(warehouse, account, ERASURE.version - 5n);
    await store(warehouse, account, ERASURE.version);
  }
  const before = await shown(warehouse);
  expect(Object.keys(before)).toHaveLength(11);
  expect(new Set(Object.values(before))).toEqual(new Set([`${ERASURE.account},acme,other`]));
  expect(await eraseRows(tables, ERASURE)).toBeGreaterThanOrEqual(8);
  expect(new Set(Object.values(await shown(warehouse)))).toEqual(new Set(['acme,other']));
  expect(await eraseRows(tables, ERASURE)).toBe(0);
  expect(await remaining(warehouse)).toEqual(TABLES.map((table) => `${table} acme,other`));
  // Rows that the account uploads after its erasure stay.
  await store(warehouse, ERASURE.account, ERASURE.version + 1n);
  expect(await eraseRows(tables, ERASURE)).toBe(0);
  expect(await remaining(warehouse)).toEqual(
    TABLES.map((table) => `${table} ${ERASURE.account},acme,other`),
  );
}

describe('one server', () => {
  let opened: TestWarehouse;
  beforeAll(async () => {
    opened = await openTestWarehouse();
  });
  afterAll(() => opened.close());

  test('every row of the account up to the version goes, and no other', async () => {
    const { warehouse, database } = opened;
    await expectErased({ warehouse, database, cluster: undefined });
  });

  test('on a cluster the engine understands what goes to every node', async () => {
    const run: string[] = [];
    const recording: Warehouse = {
      execute: (sql) => Promise.resolve(void run.push(sql)),
      insert: () => Promise.resolve(),
      query: <Row>() => Promise.resolve([{ rows: '1', due: '1' }] as Row[]),
      lookUp: () => Promise.resolve([]),
      close: () => Promise.resolve(),
    };
    await eraseRows({ warehouse: recording, database: 'custom_data', cluster: 'eu' }, ERASURE);
    expect(run).toHaveLength(5);
    for (const sql of run) {
      expect(sql).toMatch(/^ALTER TABLE `custom_data`\.`\w+_local` ON CLUSTER 'eu' DELETE /);
      const tree = await opened.warehouse.query<{ explain: string }>(`EXPLAIN AST ${sql}`);
      expect(tree[0]?.explain).toMatch(/^AlterQuery /);
    }
  });
});

test('behind Distributed tables of two shards it is the same', async () => {
  // One node plays every shard: see test/engine/clickhouse/cluster.
  const shard = '<shard><replica><host>127.0.0.1</host><port>9000</port></replica></shard>';
  const config = `<clickhouse><tcp_port>9000</tcp_port><remote_servers><eu>${shard.repeat(2)}</eu></remote_servers></clickhouse>`;
  const server = await ClickHouseHttp.start({ config });
  const warehouse = withoutKeeper(connectTo(server));
  try {
    await migrate(warehouse, 'custom_data', 'eu');
    await expectErased({ warehouse, database: 'custom_data', cluster: 'eu' });
  } finally {
    await warehouse.close();
    await server.stop();
  }
});
