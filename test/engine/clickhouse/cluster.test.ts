import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

import { COST } from '../../../src/domain/families/index.js';
import { Arena } from '../../../src/domain/memory.js';
import { checkFile } from '../../../src/preview/check-file.js';
import type { UploadToStore } from '../../../src/warehouse/row-store.js';
import { compareKeys } from '../../../src/warehouse/rows/compare-keys.js';
import { storedDayTotals } from '../../../src/warehouse/rows/day-totals.js';
import {
  archivedAmong,
  type KnownColumn,
  knownValues,
} from '../../../src/warehouse/rows/known-values.js';
import { SqlRowStore } from '../../../src/warehouse/rows/sql-row-store.js';
import { SqlRequestStore } from '../../../src/status/sql-request-store.js';
import {
  blockOf,
  column,
  BOOL,
  DATE_TIME,
  STRING,
  UINT128,
} from '../../../src/warehouse/native/block.js';
import { migrate, waitForSchema } from '../../../src/warehouse/schema/migrate.js';
import type { NativeBlock, Warehouse } from '../../../src/warehouse/warehouse.js';
import { ClickHouseHttp } from '../../support/clickhouse/clickhouse-http.js';
import { storageBlock, type StoredKey } from '../../support/model/native-rows.js';
import { awayFromMidnight, daysAgo } from '../../support/model/utc-days.js';
import { withoutKeeper } from '../../support/clickhouse/without-keeper.js';
import { connectTo } from '../../support/chdb/warehouses.js';
import { csv, FACTS, goodRow, THRESHOLDS, verdictOn } from '../../support/files/files.js';

/**
 * The schema behind Distributed tables, as on a cluster. The test removes what needs a Keeper: ON
 * CLUSTER and Replicated. One node plays every shard.
 */

const SHARD = '<shard><replica><host>127.0.0.1</host><port>9000</port></replica></shard>';

function clusterOf(shards: number): string {
  const servers = `<remote_servers><eu>${SHARD.repeat(shards)}</eu></remote_servers>`;
  return `<clickhouse><tcp_port>9000</tcp_port>${servers}</clickhouse>`;
}

const key: StoredKey = {
  account: 'acme',
  date: '2026-01-01',
  channel: 'news',
  third: 'spring',
  version: 1n,
  requestId: '0193c2f0-1a2b-7c3d-8e4f-a5b6c7d8e9fa',
  uploadedAt: 1_750_000_000,
  rows: [{ currency: 'EUR', impressions: 10, clicks: 1, cost: 0.5 }],
};
const metric = (name: string, version: bigint, value: number): StoredKey => ({
  ...key,
  third: name,
  version,
  rows: [{ event_value: value }],
});

function archivalOf(account: string, name: string): NativeBlock {
  return blockOf(
    [
      column('account', STRING, [account]),
      column('name', STRING, [name]),
      column('archived', BOOL, [true]),
      column('changed_at', DATE_TIME, [1]),
      column('version', UINT128, [1n]),
    ],
    1,
  );
}

describe.each([
  ['one shard', 1],
  ['two shards', 2],
])('%s', (_, shards) => {
  let server: ClickHouseHttp;
  let warehouse: Warehouse;

  beforeAll(async () => {
    server = await ClickHouseHttp.start({ config: clusterOf(shards) });
    warehouse = withoutKeeper(connectTo(server));
    await migrate(warehouse, 'custom_data', 'eu');
    await migrate(warehouse, 'custom_data', 'eu');
    await waitForSchema(warehouse, 'custom_data', AbortSignal.timeout(5_000));
  });
  afterAll(async () => {
    await warehouse.close();
    await server.stop();
  });

  const rows = (view: string, columns: string, where = '1'): Promise<unknown[]> =>
    server.query(`SELECT ${columns} FROM ${view} WHERE ${where} ORDER BY ALL`);

  test('every view answers, and shows what was uploaded last', async () => {
    await warehouse.insert('cost', storageBlock('cost', [key]));
    const later = { ...key, version: 2n, rows: [{ ...key.rows[0], cost: 0.25 }] };
    await warehouse.insert('cost', storageBlock('cost', [later]));
    await warehouse.insert(
      'self_serve',
      storageBlock('self_serve', [metric('visits', 1n, 7), metric('orders', 1n, 3)]),
    );
    await warehouse.insert('self_serve', storageBlock('self_serve', [metric('visits', 2n, 8)]));
    await warehouse.insert('metric_archivals', archivalOf('acme', 'orders'));
    // The single node returns every row once for each shard.
    const asOften = <T>(row: T): T[] => Array<T>(shards).fill(row);
    expect(await rows('cost_rows', 'account, cost')).toEqual(
      asOften({ account: 'acme', cost: 0.25 }),
    );
    expect(await rows('cost_summary', 'campaign, cost')).toEqual(
      asOften({ campaign: 'spring', cost: 0.25 }),
    );
    expect(await rows('cost_report', 'cost')).toEqual(asOften({ cost: 0.25 }));
    for (const view of ['self_serve_report', 'self_serve_summary']) {
      expect(await rows(view, 'event_category, event_value')).toEqual(
        asOften({ event_category: 'visits', event_value: 8 }),
      );
    }
    expect(await rows('metrics', 'DISTINCT name, archived')).toEqual([
      { name: 'orders', archived: true },
      { name: 'visits', archived: false },
    ]);
  });

  test('every view has all of its columns; days, spellings and uploads are right', async () => {
    await awayFromMidnight();
    const account = 'quality';
    const cost = [2, 0].map((ago) => ({
      ...key,
      account,
      date: daysAgo(ago),
      channel: 'News',
      rows: [{ ...key.rows[0], os_name: 'iOS' }],
    }));
    await warehouse.insert('cost', storageBlock('cost', cost));
    const visits = { account, date: daysAgo(1), rows: [{ event_value: 7, os_name: 'ios' }] };
    const old = { account, date: daysAgo(1), channel: 'old' };
    await warehouse.insert(
      'self_serve',
      storageBlock('self_serve', [
        { ...metric('visits', 1n, 7), ...visits },
        { ...metric('gone', 1n, 3), ...old },
      ]),
    );
    await warehouse.insert('metric_archivals', archivalOf(account, 'gone'));
    await new SqlRequestStore(warehouse, 'custom_data').writeTransitions([
      {
        requestId: '0193c2f0-1a2b-7c3d-8e4f-a5b6c7d8e9fb',
        account,
        family: 'cost',
        status: 'failed',
        prevStatus: 'uploaded',
        reason: '{"date":["row 2: x","row 3: x"],"cost":["row 2: y"]}',
        createdAt: '2026-01-01T00:00:00',
        updatedAt: '2026-01-01T00:00:01',
        version: '4',
        sentMax: '4',
        bytes: 7,
        rows: { validated: 0, stored: 0, readBack: 0 },
      },
    ]);

    const views = await server.query<{ name: string }>(
      "SELECT name FROM system.tables WHERE database = 'custom_data' AND engine = 'View'",
    );
    expect(views).toHaveLength(11);
    for (const { name } of views) expect(await rows(name, '*')).not.toEqual([]);

    const ofAccount = (view: string): Promise<unknown[]> =>
      rows(view, '*', `account = '${account}'`);
    const last_upload = '2025-06-15 15:06:40';
    expect(await ofAccount('data_freshness')).toEqual([
      {
        account,
        family: 'cost',
        channel: 'News',
        first_date: daysAgo(2),
        last_date: daysAgo(0),
        last_upload,
        missing_days: [daysAgo(1)],
      },
      {
        account,
        family: 'self-serve',
        channel: 'news',
        first_date: daysAgo(1),
        last_date: daysAgo(1),
        last_upload,
        missing_days: [],
      },
    ]);
    // The single node counts every row once for each shard.
    const two = { rows: 2 * shards, last_date: daysAgo(0) };
    const one = { rows: shards, last_date: daysAgo(1) };
    expect(await ofAccount('spelling_variants')).toEqual([
      { account, column: 'channel', plain_form: 'news', value: 'News', ...two },
      { account, column: 'channel', plain_form: 'news', value: 'news', ...one },
      { account, column: 'os_name', plain_form: 'ios', value: 'iOS', ...two },
      { account, column: 'os_name', plain_form: 'ios', value: 'ios', ...one },
    ]);
    expect(await ofAccount('upload_activity')).toEqual([
      {
        account,
        family: 'cost',
        day: '2026-01-01',
        uploads: shards,
        uploaded: 0,
        validated: 0,
        ingested: 0,
        succeeded: 0,
        failed: shards,
        failed_columns: { date: shards, cost: shards },
        rows: 0,
        bytes: 7 * shards,
      },
    ]);
  });

  test('rows stand on one shard only', async () => {
    expect(
      await server.query('SELECT toUInt32(count()) AS n FROM cost_local WHERE version = 2'),
    ).toEqual([{ n: 1 }]);
  });

  test('a batch is read back, by version and where that is not enough by key', async () => {
    const verdict = verdictOn('cost', csv([goodRow('cost')]));
    if (!verdict.valid) throw new Error(verdict.reason);
    const upload = (version: bigint): UploadToStore => ({
      requestId: key.requestId,
      account: 'busy',
      version,
      uploadedAt: key.uploadedAt,
      prepared: verdict.upload,
    });
    const [replaced, stored, missing] = [upload(7n), upload(8n), upload(9n)];
    const rowStore = new SqlRowStore(warehouse, 'custom_data');
    await rowStore.writeBatch(COST, [stored]);
    const uploads = [replaced, stored, missing];
    const rows = await rowStore.readBack(COST, uploads);
    expect([...rows.keys()].sort()).toEqual([7n, 8n]);
  });

  test('a file is compared with what is stored, and what its warnings need is found', async () => {
    const [account, os_name] = ['previewed', 'iOS'];
    const rows = ['2026-02-27', '2026-03-01'].map((date) => goodRow('cost', { date, os_name }));
    const verdict = verdictOn('cost', csv(rows));
    if (!verdict.valid) throw new Error(verdict.reason);
    const { requestId, uploadedAt } = key;
    const upload = { requestId, account, version: 20n, uploadedAt, prepared: verdict.upload };
    await new SqlRowStore(warehouse, 'custom_data').writeBatch(COST, [upload]);

    const file = csv([rows[1]!, { ...rows[1], campaign: 'new' }]);
    const parts = [Buffer.from(file)];
    const task = { family: 'cost', account, parts, facts: FACTS, thresholds: THRESHOLDS } as const;
    const checked = checkFile(task, new Arena());
    if (!checked.valid) throw new Error(checked.reason);
    const { blocks, keyBlock } = checked;
    // The single node returns every stored row once for each shard.
    const comparison = await compareKeys(warehouse, 'custom_data', COST, blocks![0]!, 0n);
    expect(comparison).toMatchObject({ stored: shards, unchanged: shards, replaced: [] });
    expect(await storedDayTotals(warehouse, 'custom_data', COST, keyBlock!, 28, 0n)).toEqual([
      { day: '2026-02-27', channel: 'Search', name: 'EUR', amount: 1.5 * shards },
    ]);
    const valuesOf = (column: KnownColumn): Promise<readonly string[] | undefined> =>
      knownValues(warehouse, 'custom_data', account, column, 0n);
    expect(await valuesOf('channel')).toEqual(['Search']);
    expect(await valuesOf('os_name')).toEqual(['iOS']);
    const metrics = ['visits', 'orders'];
    expect(await archivedAmong(warehouse, 'custom_data', 'acme', metrics)).toEqual(
      Array<string>(shards).fill('orders'),
    );
  });

  test('the history finds a request', async () => {
    const history = new SqlRequestStore(warehouse, 'custom_data');
    const transition = {
      requestId: key.requestId,
      account: 'acme',
      family: 'cost',
      status: 'succeeded',
      prevStatus: 'ingested',
      reason: null,
      // The time in the id.
      createdAt: '2024-12-14T02:12:15',
      updatedAt: '2024-12-14T02:12:16',
      version: '5',
      sentMax: '5',
    } as const;
    await history.writeTransitions([transition]);
    expect((await history.statesOf([key.requestId])).get(key.requestId)).toEqual(transition);
    expect(await history.highestVersion()).toBe(5n);
  });
});
