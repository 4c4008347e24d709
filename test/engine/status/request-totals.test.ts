import { afterAll, beforeAll, expect, test } from '@jest/globals';

import type { RowCounts, Status } from '../../../src/status/transition.js';
import {
  oldestUnfinished,
  requestRows,
  requests,
  requestsCountedFrom,
} from '../../../src/ops/metrics.js';
import { SqlRequestStore } from '../../../src/status/sql-request-store.js';
import { RequestTotalsGauges } from '../../../src/status/request-totals.js';
import { openTestWarehouse, type TestWarehouse } from '../../support/chdb/warehouse.js';
import { writeUpload } from '../../support/chdb/written-upload.js';

let opened: TestWarehouse;
beforeAll(async () => {
  opened = await openTestWarehouse();
});
afterAll(() => opened.close());

const uploaded = (secondsAgo: number, status: Status, rows: RowCounts): Promise<void> =>
  writeUpload(opened, secondsAgo, status, { rows });

async function valueOf(
  gauge: typeof requests | typeof requestRows | typeof oldestUnfinished,
  ...labels: readonly string[]
): Promise<number | undefined> {
  const { values } = await gauge.get();
  return values.find((each) => Object.values(each.labels).join() === labels.join())?.value;
}

test('the gauges tell states, the rows of what succeeded, and the age of what is not finished', async () => {
  await uploaded(900, 'succeeded', { validated: 10, stored: 10, readBack: 10 });
  await uploaded(800, 'failed', { validated: 0, stored: 0, readBack: 0 });
  await uploaded(300, 'validated', { validated: 5, stored: 0, readBack: 0 });
  await uploaded(200, 'ingested', { validated: 4, stored: 4, readBack: 0 });
  await new RequestTotalsGauges(new SqlRequestStore(opened.warehouse, opened.database)).measure();
  expect(await valueOf(requests, 'cost', 'succeeded')).toBe(1);
  expect(await valueOf(requests, 'cost', 'validated')).toBe(1);
  expect(await valueOf(requestRows, 'cost', 'validated')).toBe(10);
  expect(await valueOf(requestRows, 'cost', 'read_back')).toBe(10);
  const age = await valueOf(oldestUnfinished, 'cost');
  expect(age).toBeGreaterThanOrEqual(299);
  expect(age).toBeLessThan(310);
  expect(await valueOf(oldestUnfinished, 'self-serve')).toBe(0);
});

test('what was created more than 30 days before this day began does not count', async () => {
  const today = new Date().setUTCHours(0, 0, 0, 0) / 1000;
  const ago = Date.now() / 1000 - today + 30 * 86_400;
  await uploaded(ago - 10, 'succeeded', { validated: 1, stored: 1, readBack: 1 });
  await uploaded(ago + 10, 'succeeded', { validated: 100, stored: 100, readBack: 100 });
  await uploaded(ago + 10, 'ingested', { validated: 100, stored: 100, readBack: 0 });
  await new RequestTotalsGauges(new SqlRequestStore(opened.warehouse, opened.database)).measure();
  expect((await requestsCountedFrom.get()).values[0]!.value).toBe(today - 30 * 86_400);
  expect(await valueOf(requests, 'cost', 'succeeded')).toBe(2);
  expect(await valueOf(requestRows, 'cost', 'read_back')).toBe(11);
  expect(await valueOf(oldestUnfinished, 'cost')).toBeLessThan(400);
});

test('the gauges are gone while the warehouse does not answer', async () => {
  const missing = new SqlRequestStore(opened.warehouse, 'no_such_database');
  await expect(new RequestTotalsGauges(missing).measure()).rejects.toThrow();
  expect(await valueOf(requests, 'cost', 'succeeded')).toBeUndefined();
  expect(await valueOf(oldestUnfinished, 'cost')).toBeUndefined();
});
