import { afterAll, beforeAll, expect, test } from '@jest/globals';

import { objectiveUploads, objectiveUploadsLate } from '../../../src/ops/metrics.js';
import { ObjectiveGauges } from '../../../src/status/objectives.js';
import { SqlRequestStore } from '../../../src/status/sql-request-store.js';
import type { Status } from '../../../src/status/transition.js';
import { openTestWarehouse, passingOn, type TestWarehouse } from '../../support/chdb/warehouse.js';
import { writeUpload } from '../../support/chdb/written-upload.js';

let opened: TestWarehouse;
beforeAll(async () => {
  opened = await openTestWarehouse();
});
afterAll(() => opened.close());

const DAY = 86_400;
const uploaded = (secondsAgo: number, status: Status, took: number): Promise<void> =>
  writeUpload(opened, secondsAgo, status, { took });

async function valuesOf(gauge: typeof objectiveUploads): Promise<Record<string, number>> {
  const { values } = await gauge.get();
  return Object.fromEntries(
    values.map(({ labels, value }) => [`${labels.objective!} ${labels.window!}`, value]),
  );
}

test('the gauges tell for each window how many uploads ended or were due, and how many were late', async () => {
  await uploaded(20 * DAY, 'succeeded', 4_000);
  await uploaded(2 * DAY, 'succeeded', 60);
  await uploaded(5_000, 'validated', 1);
  await uploaded(100, 'succeeded', 2);
  await uploaded(90, 'failed', 1);
  await uploaded(60, 'ingested', 1);
  const store = new SqlRequestStore(opened.warehouse, opened.database);
  await new ObjectiveGauges(store).measure();
  expect(await valuesOf(objectiveUploads)).toEqual({
    'visible_in_10s 5m': 3,
    'visible_in_10s 30m': 3,
    'visible_in_10s 1h': 3,
    'visible_in_10s 6h': 4,
    'visible_in_10s 3d': 5,
    'visible_in_10s 30d': 6,
    'visible_in_10m 5m': 2,
    'visible_in_10m 30m': 2,
    'visible_in_10m 1h': 2,
    'visible_in_10m 6h': 3,
    'visible_in_10m 3d': 4,
    'visible_in_10m 30d': 5,
  });
  expect(await valuesOf(objectiveUploadsLate)).toEqual({
    'visible_in_10s 5m': 1,
    'visible_in_10s 30m': 1,
    'visible_in_10s 1h': 1,
    'visible_in_10s 6h': 2,
    'visible_in_10s 3d': 3,
    'visible_in_10s 30d': 4,
    'visible_in_10m 5m': 0,
    'visible_in_10m 30m': 0,
    'visible_in_10m 1h': 0,
    'visible_in_10m 6h': 1,
    'visible_in_10m 3d': 1,
    'visible_in_10m 30d': 2,
  });
});

test('uploads are counted again after a minute', async () => {
  let now = 0;
  const store = new SqlRequestStore(opened.warehouse, opened.database);
  const gauges = new ObjectiveGauges(store, () => now);
  const countedAt = async (milliseconds: number): Promise<number> => {
    now = milliseconds;
    await gauges.measure();
    return (await valuesOf(objectiveUploads))['visible_in_10s 5m']!;
  };
  expect(gauges.isDueAgain).toBe(false);
  const before = await countedAt(0);
  await uploaded(30, 'succeeded', 1);
  expect(await countedAt(59_999)).toBe(before);
  expect(gauges.isDueAgain).toBe(false);
  now = 60_000;
  expect(gauges.isDueAgain).toBe(true);
  expect(await countedAt(60_000)).toBe(before + 1);
  expect(gauges.isDueAgain).toBe(false);
});

test('months that no window reaches are not read', async () => {
  await uploaded(200 * DAY, 'succeeded', 1);
  await uploaded(100 * DAY, 'succeeded', 1);
  let asked = '';
  const listening = passingOn(opened.warehouse, {
    query: (sql, parameters) => {
      asked = sql;
      return opened.warehouse.query(sql, parameters);
    },
  });
  await new ObjectiveGauges(new SqlRequestStore(listening, opened.database)).measure();
  const plan = await opened.warehouse.query<{ explain: string }>(`EXPLAIN indexes = 1 ${asked}`);
  const parts = plan.flatMap(({ explain }) => /Parts: (\d+)\/(\d+)/.exec(explain)?.slice(1) ?? []);
  expect(Number(parts.at(-2))).toBeLessThanOrEqual(Number(parts[1]) - 2);
});

test('the gauges are gone while the warehouse does not answer', async () => {
  const missing = new SqlRequestStore(opened.warehouse, 'no_such_database');
  await expect(new ObjectiveGauges(missing).measure()).rejects.toThrow();
  expect(await valuesOf(objectiveUploads)).toEqual({});
  expect(await valuesOf(objectiveUploadsLate)).toEqual({});
});
