import { setTimeout as sleep } from 'node:timers/promises';

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { pino } from 'pino';

import type { Family } from '../../../../src/domain/families/index.js';
import type { Component } from '../../../../src/ops/components.js';
import { migrate } from '../../../../src/warehouse/schema/migrate.js';
import { mergeWhenQuiet } from '../../../../src/warehouse/rows/quiet-merges.js';
import { ClickHouseHttp } from '../../../support/clickhouse/clickhouse-http.js';
import { until } from '../../../support/until.js';
import { type Row, storageBlock } from '../../../support/model/native-rows.js';
import {
  connectTo,
  openWarehouseOf,
  WAREHOUSES,
  type OpenWarehouse,
} from '../../../support/chdb/warehouses.js';

const DATABASE = 'custom_data';
const SOON = { lookMs: 50, quietSeconds: 3 };
const SILENT = pino({ level: 'silent' });

describe.each(WAREHOUSES)('parts in %s', (kind) => {
  let opened: OpenWarehouse;
  let merging: Component | undefined;
  beforeAll(async () => {
    opened = await openWarehouseOf(kind);
    await migrate(opened.warehouse, DATABASE);
  });
  afterAll(async () => {
    await merging?.stop();
    await opened.close();
  });

  async function store(table: Family['table'], version: bigint, keys: number): Promise<void> {
    const value = Number(version);
    const row: Row = table === 'cost' ? { currency: 'EUR', clicks: value } : { event_value: value };
    const rows = Array.from({ length: keys }, (_, key) => ({
      account: 'acme',
      date: '2026-03-01',
      channel: `channel ${key}`,
      third: 'Signups',
      version,
      requestId: '0193c2f0-0000-7000-8000-000000000001',
      uploadedAt: 1_772_323_200,
      rows: [row],
    }));
    await opened.warehouse.insert(table, storageBlock(table, rows));
  }

  async function parts(table: Family['table']): Promise<number> {
    const [row] = await opened.warehouse.query<{ parts: number }>(
      `SELECT toUInt32(count()) AS parts FROM system.parts
       WHERE database = '${DATABASE}' AND table = '${table}' AND active`,
    );
    return row!.parts;
  }

  test('become one when writing has paused, and only then; not where little is new beside the largest', async () => {
    await store('self_serve', 1n, 20_000);
    await store('self_serve', 2n, 10);
    merging = mergeWhenQuiet(opened.warehouse, DATABASE, SILENT, SOON);
    let version = 0n;
    const end = Date.now() + 3_500;
    while (Date.now() < end) {
      await store('cost', ++version, 10);
      if (version > 1n) expect(await parts('cost')).toBeGreaterThan(1);
      await sleep(500);
    }
    await until(async () => (await parts('cost')) === 1);
    const shown = await opened.warehouse.query<{ rows: number; value: number }>(
      `SELECT toUInt32(count()) AS rows, toUInt32(max(clicks)) AS value FROM ${DATABASE}.cost_report`,
    );
    expect(shown).toEqual([{ rows: 10, value: Number(version) }]);
    // Nobody has written to this table for twice as long as a quiet one needs.
    expect(await parts('self_serve')).toBe(2);
  });
});

describe('a server', () => {
  let server: ClickHouseHttp;
  beforeAll(async () => {
    server = await ClickHouseHttp.start();
  });
  afterAll(() => server.stop());

  test.each([
    ['that refuses is not asked again soon', 497, 1, 1],
    ['that fails is asked less and less often', 159, 3, 7],
  ])('%s', async (_, code, least, most) => {
    const warehouse = connectTo(server);
    const before = (await server.counts()).struck;
    await server.fault({ kind: 'exception', code });
    const merging = mergeWhenQuiet(warehouse, DATABASE, SILENT, SOON);
    await sleep(2_000);
    await merging.stop();
    // 50 ms, then pauses of at least 50, 100, 200, 400, 800 and 1,600 ms.
    const struck = (await server.counts()).struck - before;
    expect(struck).toBeGreaterThanOrEqual(least);
    expect(struck).toBeLessThanOrEqual(most);
    await server.heal();
    await warehouse.close();
  });
});
