import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { v7 as uuidv7 } from 'uuid';

import { lastVersionAt } from '../../../src/domain/version.js';
import { writeAudit } from '../../../src/status/audit.js';
import {
  deleteExpired,
  type HistoryTables,
  startHistoryRetention,
} from '../../../src/status/history-retention.js';
import { SqlRequestStore } from '../../../src/status/sql-request-store.js';
import { type Status, timestampOf } from '../../../src/status/transition.js';
import { migrate } from '../../../src/warehouse/schema/migrate.js';
import { storedTable } from '../../../src/warehouse/schema/placeholders.js';
import { WarehouseError } from '../../../src/warehouse/warehouse.js';
import { passingOn } from '../../support/chdb/warehouse.js';
import {
  connectTo,
  type OpenWarehouse,
  openWarehouseOf,
  WAREHOUSES,
} from '../../support/chdb/warehouses.js';
import { ClickHouseHttp } from '../../support/clickhouse/clickhouse-http.js';
import { withoutKeeper } from '../../support/clickhouse/without-keeper.js';
import { until } from '../../support/kafka/until.js';

const DAY = 86_400_000;
const RETENTION = 40 * DAY;
const DATABASE = 'custom_data';

/** Writes each transition of a request, up to the last one, as a part. */
async function write(
  { warehouse }: HistoryTables,
  at: number,
  last: Status,
  version = lastVersionAt(at),
): Promise<string> {
  const requestId = uuidv7({ msecs: at });
  const history = new SqlRequestStore(warehouse, DATABASE);
  for (const status of ['uploaded', 'validated', last] as const) {
    await history.writeTransitions([
      {
        requestId,
        account: 'acme',
        family: 'cost',
        status,
        prevStatus: null,
        reason: null,
        createdAt: timestampOf(at),
        updatedAt: timestampOf(at + 1_000),
        version: version.toString(),
        sentMax: '0',
      },
    ]);
  }
  const event = { actor: 'token', action: 'upload', account: 'acme', subject: requestId } as const;
  await writeAudit(warehouse, [{ ...event, at }]);
  return requestId;
}

async function expectDeleted(tables: HistoryTables): Promise<void> {
  const { warehouse, cluster } = tables;
  const now = Date.now();
  const history = new SqlRequestStore(warehouse, DATABASE);
  const old = await write(tables, now - 60 * DAY, 'succeeded');
  const failed = await write(tables, now - 42 * DAY, 'failed');
  const nearly = await write(tables, now - 40.5 * DAY, 'succeeded');
  const unfinished = await write(tables, now - 50 * DAY, 'ingested');
  const young = await write(tables, now - 39 * DAY, 'succeeded');
  // Its gateway's clock was behind the version of another one.
  const ahead = await write(tables, now - 45 * DAY, 'succeeded', lastVersionAt(now));
  const all = [old, failed, nearly, unfinished, young, ahead];

  // None is a day older than it may be.
  expect(await deleteExpired(tables, 59.5 * DAY, now)).toBe(0);
  expect((await history.statesOf(all)).size).toBe(6);

  // At least a transition and an event of each of the three.
  expect(await deleteExpired(tables, RETENTION, now)).toBeGreaterThanOrEqual(6);
  for (const when of ['before a merge', 'after it']) {
    if (when === 'after it') {
      const table = storedTable(DATABASE, 'request_transitions', cluster);
      await warehouse.execute(`OPTIMIZE TABLE ${table} FINAL`);
    }
    const states = await history.statesOf(all);
    expect([...states].map(([id, { status }]) => [id, status]).sort()).toEqual(
      [
        [unfinished, 'ingested'],
        [young, 'succeeded'],
        [ahead, 'succeeded'],
      ].sort(),
    );
  }
  const events = await warehouse.query<{ subject: string }>(
    `SELECT DISTINCT subject FROM ${DATABASE}.audit_events`,
  );
  expect(events.map(({ subject }) => subject)).toEqual([young]);
  expect(await deleteExpired(tables, RETENTION, now)).toBe(0);
}

describe.each(WAREHOUSES)('in %s', (kind) => {
  let opened: OpenWarehouse;
  let tables: HistoryTables;
  beforeAll(async () => {
    opened = await openWarehouseOf(kind);
    await migrate(opened.warehouse, DATABASE);
    tables = { warehouse: opened.warehouse, database: DATABASE, cluster: undefined };
  });
  afterAll(() => opened.close());

  test('ended requests and audit events go when they are too old, with all of their rows', async () => {
    await expectDeleted(tables);
  });

  test('a warehouse that is away is waited for', async () => {
    const requestId = await write(tables, Date.now() - 42 * DAY, 'failed');
    let isAway = true;
    const warehouse = passingOn(opened.warehouse, {
      execute: (sql) => {
        if (!isAway) return opened.warehouse.execute(sql);
        isAway = false;
        return Promise.reject(new WarehouseError('away', 'retry'));
      },
    });
    const lines: string[] = [];
    const logger = pino({}, { write: (line: string) => lines.push(line) });
    const retention = startHistoryRetention({ ...tables, warehouse }, RETENTION, logger, 10);
    await until(() => lines.length === 2);
    await retention.stop();
    expect(lines[0]).toContain('old requests and audit events are not deleted');
    expect(lines[1]).toContain('old requests and audit events are deleted');
    const history = new SqlRequestStore(opened.warehouse, DATABASE);
    expect((await history.statesOf([requestId])).size).toBe(0);
  });
});

test('behind Distributed tables of two shards it is the same', async () => {
  // One node plays every shard: see test/engine/clickhouse/cluster.
  const shard = '<shard><replica><host>127.0.0.1</host><port>9000</port></replica></shard>';
  const config = `<clickhouse><tcp_port>9000</tcp_port><remote_servers><eu>${shard.repeat(2)}</eu></remote_servers></clickhouse>`;
  const server = await ClickHouseHttp.start({ config });
  const warehouse = withoutKeeper(connectTo(server));
  try {
    await migrate(warehouse, DATABASE, 'eu');
    await expectDeleted({ warehouse, database: DATABASE, cluster: 'eu' });
  } finally {
    await warehouse.close();
    await server.stop();
  }
});
