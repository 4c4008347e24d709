import { setTimeout as sleep } from 'node:timers/promises';

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { pino } from 'pino';

import type { Part } from '../../../../src/ops/parts.js';
import { migrate } from '../../../../src/warehouse/schema/migrate.js';
import { mergeWhenQuiet } from '../../../../src/warehouse/rows/quiet-merges.js';
import { ClickHouseHttp } from '../../../support/clickhouse/clickhouse-http.js';
import { until } from '../../../support/kafka/until.js';
import { storageBlock } from '../../../support/model/native-rows.js';
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
  let merging: Part | undefined;
  beforeAll(async () => {
    opened = await openWarehouseOf(kind);
    await migrate(opened.warehouse, DATABASE);
  });
  afterAll(() => opened.close());
  beforeEach(() => opened.warehouse.execute(`TRUNCATE TABLE ${DATABASE}.self_serve`));
  afterEach(async () => {
    await merging?.stop();
    merging = undefined;
  });

  function start(): void {
    merging = mergeWhenQuiet(opened.warehouse, DATABASE, SILENT, SOON);
  }

  async function store(version: bigint, keys: number): Promise<void> {
    const rows = Array.from({ length: keys }, (_, key) => ({
      account: 'acme',
      date: '2026-03-01',
      channel: `channel ${key}`,
      third: 'Signups',
      version,
      requestId: '0193c2f0-0000-7000-8000-000000000001',
      uploadedAt: 1_772_323_200,
      rows: [{ event_value: Number(version) }],
    }));
    await opened.warehouse.insert('self_serve', storageBlock('self_serve', rows));
  }

  async function parts(): Promise<number> {
    const [row] = await opened.warehouse.query<{ parts: number }>(
      `SELECT toUInt32(count()) AS parts FROM system.parts
       WHERE database = '${DATABASE}' AND table = 'self_serve' AND active`,
    );
    return row!.parts;
  }

  test('become one when writing has paused, and only then', async () => {
    start();
    let version = 0n;
    const end = Date.now() + 3_500;
    while (Date.now() < end) {
      await store(++version, 10);
      if (version > 1n) expect(await parts()).toBeGreaterThan(1);
      await sleep(500);
    }
    await until(async () => (await parts()) === 1);
    const shown = await opened.warehouse.query<{ rows: number; value: number }>(
      `SELECT toUInt32(count()) AS rows, max(event_value) AS value FROM ${DATABASE}.self_serve_report`,
    );
    expect(shown).toEqual([{ rows: 10, value: Number(version) }]);
  });

  test('stay when little is new beside the largest', async () => {
    await store(1n, 20_000);
    await store(2n, 10);
    start();
    await sleep(4_500);
    expect(await parts()).toBe(2);
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
