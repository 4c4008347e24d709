import { afterAll, beforeAll, expect, test } from '@jest/globals';

import { type Status, timestampOf } from '../../../src/status/transition.js';
import { HistoryLookUps } from '../../../src/status/history-lookups.js';
import { SqlRequestStore } from '../../../src/status/sql-request-store.js';
import { openTestWarehouse, type TestWarehouse } from '../../support/chdb/warehouse.js';

let opened: TestWarehouse;
beforeAll(async () => {
  opened = await openTestWarehouse();
});
afterAll(() => opened.close());

const GOOD = '0193c2f0-0000-7000-8000-000000000001';
const BAD = '0193c2f0-0000-7000-8000-000000000002';
const REASON = '{"date":["row 2: \\"x\\" is not a date"]}';

/** Writes one transition at the given second. */
async function happened(
  requestId: string,
  status: Status,
  prevStatus: Status | null,
  second: number,
  reason: string | null = null,
): Promise<void> {
  await new SqlRequestStore(opened.warehouse, opened.database).writeTransitions([
    {
      requestId,
      account: 'acme',
      family: 'cost',
      status,
      prevStatus,
      reason,
      createdAt: timestampOf(0),
      updatedAt: timestampOf(second * 1000),
      version: '7',
      sentMax: '7',
    },
  ]);
}

test('upload_requests shows the furthest transition of a request, whatever came last', async () => {
  await happened(GOOD, 'validated', 'uploaded', 1);
  await happened(GOOD, 'succeeded', 'ingested', 3);
  await happened(GOOD, 'ingested', 'validated', 2);
  await happened(GOOD, 'uploaded', null, 0);
  await happened(BAD, 'uploaded', null, 0);
  await happened(BAD, 'failed', 'uploaded', 1, REASON);
  const shared = { account: 'acme', family: 'cost', created_at: '1970-01-01 00:00:00' };
  for (const when of ['before a merge', 'after it']) {
    if (when === 'after it') {
      await opened.warehouse.execute(`OPTIMIZE TABLE ${opened.database}.request_transitions FINAL`);
    }
    expect(
      await opened.warehouse.query(
        `SELECT * FROM ${opened.database}.upload_requests ORDER BY updated_at`,
      ),
    ).toEqual([
      {
        ...shared,
        request_id: BAD,
        status: 'failed',
        prev_status: 'uploaded',
        reason: REASON,
        updated_at: '1970-01-01 00:00:01',
      },
      {
        ...shared,
        request_id: GOOD,
        status: 'succeeded',
        prev_status: 'ingested',
        reason: null,
        updated_at: '1970-01-01 00:00:03',
      },
    ]);
  }
});

/** Opens the history as a gateway does. */
function openHistory(): { store: SqlRequestStore; lookUps: HistoryLookUps } {
  const store = new SqlRequestStore(opened.warehouse, opened.database);
  return { store, lookUps: new HistoryLookUps((ids) => store.statesOf(ids)) };
}

test('a transition that is published again keeps its first time', async () => {
  const { store, lookUps } = openHistory();
  await happened(GOOD, 'succeeded', 'ingested', 9);
  expect(await lookUps.find(GOOD)).toMatchObject({
    status: 'succeeded',
    updatedAt: timestampOf(3000),
  });
  expect(await lookUps.find('0193c2f0-0000-7000-8000-000000000009')).toBeUndefined();
  expect(await store.highestVersion()).toBe(7n);
});

test('many looked up at once each find their own', async () => {
  const { lookUps } = openHistory();
  const ids = Array.from(
    { length: 300 },
    (_, index) => `0193c2f0-0000-7000-8000-${String(index).padStart(12, '0')}`,
  );
  const found = await Promise.all(ids.map((id) => lookUps.find(id)));
  for (const [index, id] of ids.entries()) {
    const expected = { [GOOD]: 'succeeded', [BAD]: 'failed' }[id];
    expect(found[index]?.status).toBe(expected);
    if (expected !== undefined) expect(found[index]?.requestId).toBe(id);
  }
});

test('a request is found by its id without reading the others', async () => {
  await happened(GOOD, 'uploaded', null, 0);
  const plan = await opened.warehouse.query<{ explain: string }>(
    `EXPLAIN indexes = 1 SELECT status FROM ${opened.database}.upload_requests
     WHERE request_id = {id:UUID}`,
    { id: GOOD },
  );
  expect(plan.map(({ explain }) => explain).join('\n')).toMatch(/Keys:\s+request_id\s/);
});
