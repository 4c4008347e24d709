import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { v7 as uuidv7 } from 'uuid';

import { lastVersionAt } from '../../../src/domain/version.js';
import { historyDeletionFailures } from '../../../src/ops/metrics.js';
import { writeAudit } from '../../../src/status/audit.js';
import {
  deleteEvents,
  deleteRequests,
  startHistoryRetention,
} from '../../../src/status/history-retention.js';
import { SqlRequestStore } from '../../../src/status/sql-request-store.js';
import { type Status, timestampOf, type Transition } from '../../../src/status/transition.js';
import type { StoredTables } from '../../../src/warehouse/rows/delete-where.js';
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
import { until } from '../../support/until.js';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const RETENTION = 40 * DAY;
const DATABASE = 'custom_data';

/** Writes each transition of a request, up to the last one, as a part. */
async function write(
  { warehouse }: StoredTables,
  at: number,
  last: Status,
  version = lastVersionAt(at),
): Promise<string> {
  const requestId = uuidv7({ msecs: at });
  const history = new SqlRequestStore(warehouse, DATABASE);
  for (const status of ['uploaded', 'validated', last] as const) {
    await history.writeTransitions([transition(requestId, at, status, version)]);
  }
  const event = { actor: 'token', action: 'upload', account: 'acme', subject: requestId } as const;
  await writeAudit(warehouse, [{ ...event, at }]);
  return requestId;
}

function transition(
  requestId: string,
  at: number,
  status: Status,
  version = lastVersionAt(at),
): Transition {
  return {
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
  };
}

async function deleteExpired(
  tables: StoredTables,
  retentionMs: number,
  now: number,
): Promise<number> {
  const requests = await deleteRequests(tables, retentionMs, now);
  return requests + (await deleteEvents(tables, retentionMs, now));
}

async function expectDeleted(tables: StoredTables): Promise<void> {
  const { warehouse, cluster } = tables;
  const now = Date.now();
  const history = new SqlRequestStore(warehouse, DATABASE);
  const old = await write(tables, now - 60 * DAY, 'succeeded');
  const failed = await write(tables, now - 42 * DAY, 'failed');
  const nearly = await write(tables, now - 40.5 * DAY, 'succeeded');
  // A gateway whose clock is behind by less than an hour still asks for it.
  const asked = await write(tables, now - RETENTION - 0.9 * HOUR, 'succeeded');
  const unfinished = await write(tables, now - 50 * DAY, 'ingested');
  const young = await write(tables, now - 39 * DAY, 'succeeded');
  // Its gateway's clock was behind the version of another one.
  const ahead = await write(tables, now - 45 * DAY, 'succeeded', lastVersionAt(now));
  const all = [old, failed, nearly, asked, unfinished, young, ahead];

  // None is a day older than it may be.
  expect(await deleteExpired(tables, 59.5 * DAY, now)).toBe(0);
  expect((await history.statesOf(all)).size).toBe(7);

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
        [asked, 'succeeded'],
        [unfinished, 'ingested'],
        [young, 'succeeded'],
        [ahead, 'succeeded'],
      ].sort(),
    );
  }
  const events = await warehouse.query<{ subject: string }>(
    `SELECT DISTINCT subject FROM ${DATABASE}.audit_events`,
  );
  expect(events.map(({ subject }) => subject).sort()).toEqual([asked, young].sort());
  expect(await deleteExpired(tables, RETENTION, now)).toBe(0);
}

describe.each(WAREHOUSES)('in %s', (kind) => {
  let opened: OpenWarehouse;
  let tables: StoredTables;
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
    historyDeletionFailures.reset();
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
    await until(() => lines.length === 3);
    await retention.stop();
    expect((await historyDeletionFailures.get()).values).toMatchObject([
      { labels: { table: 'request_transitions' }, value: 1 },
      { labels: { table: 'audit_events' }, value: 0 },
    ]);
    // The audit does not wait for the requests.
    expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([
      { table: 'request_transitions', msg: 'rows that are too old may not be deleted yet' },
      { table: 'audit_events', msg: 'rows that are too old are deleted' },
      { table: 'request_transitions', msg: 'rows that are too old are deleted' },
    ]);
    const history = new SqlRequestStore(opened.warehouse, DATABASE);
    expect((await history.statesOf([requestId])).size).toBe(0);
  });

  test('thousands that have not ended stay, and those beside them go', async () => {
    const at = Date.now() - 50 * DAY;
    const history = new SqlRequestStore(opened.warehouse, DATABASE);
    const many = (length: number, status: Status): Transition[] =>
      Array.from({ length }, () => transition(uuidv7({ msecs: at }), at, status));
    const unfinished = many(3_500, 'validated');
    await history.writeTransitions([...unfinished, ...many(500, 'succeeded')]);
    expect(await deleteRequests(tables, RETENTION, Date.now())).toBe(500);
    const left = await opened.warehouse.query<{ id: string }>(
      `SELECT toString(request_id) AS id FROM ${DATABASE}.request_transitions
       WHERE status = 'validated' AND created_at = '${timestampOf(at).replace('T', ' ')}'`,
    );
    const ids = unfinished.map(({ requestId }) => requestId);
    expect(left.map(({ id }) => id).sort()).toEqual(ids.sort());
    expect(await deleteRequests(tables, RETENTION, Date.now())).toBe(0);
  });

  test('no further statement begins after a stop', async () => {
    const requestId = await write(tables, Date.now() - 42 * DAY, 'failed');
    const stopping = new AbortController();
    let statements = 0;
    const warehouse = passingOn(opened.warehouse, {
      query: (sql, parameters) => {
        statements++;
        stopping.abort();
        return opened.warehouse.query(sql, parameters);
      },
      execute: (sql) => {
        statements++;
        return opened.warehouse.execute(sql);
      },
    });
    const stopped = { ...tables, warehouse };
    for (const deletion of [deleteRequests, deleteEvents]) {
      const deleted = deletion(stopped, RETENTION, Date.now(), stopping.signal);
      await expect(deleted).rejects.toThrow(/aborted/);
    }
    expect(statements).toBe(1);
    const history = new SqlRequestStore(opened.warehouse, DATABASE);
    expect((await history.statesOf([requestId])).size).toBe(1);
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
