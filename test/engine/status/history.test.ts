import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { v4 as uuidv4, v7 as uuidv7 } from 'uuid';

import { type Status, timestampOf } from '../../../src/status/transition.js';
import { HistoryLookUps } from '../../../src/status/history-lookups.js';
import { SqlRequestStore } from '../../../src/status/sql-request-store.js';
import type { QueryParameter } from '../../../src/warehouse/warehouse.js';
import { openTestWarehouse, passingOn, type TestWarehouse } from '../../support/chdb/warehouse.js';

let opened: TestWarehouse;
beforeAll(async () => {
  opened = await openTestWarehouse();
});
afterAll(() => opened.close());

/** Their time is that of `happened`. */
const GOOD = '00000000-0000-7000-8000-000000000001';
const BAD = '00000000-0000-7000-8000-000000000002';
const REASON = '{"date":["row 2: \\"x\\" is not a date"]}';

/** Writes one transition at the given second, of a request that was created at another. */
async function happened(
  requestId: string,
  status: Status,
  prevStatus: Status | null,
  second: number,
  reason: string | null = null,
  createdAt = 0,
): Promise<void> {
  await new SqlRequestStore(opened.warehouse, opened.database).writeTransitions([
    {
      requestId,
      account: 'acme',
      family: 'cost',
      status,
      prevStatus,
      reason,
      createdAt: timestampOf(createdAt * 1000),
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
  expect(await lookUps.find('00000000-0000-7000-8000-000000000009')).toBeUndefined();
  expect(await store.highestVersion()).toBe(7n);
});

test('many looked up at once each find their own', async () => {
  const { lookUps } = openHistory();
  const ids = Array.from(
    { length: 300 },
    (_, index) => `00000000-0000-7000-8000-${String(index).padStart(12, '0')}`,
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

test('months in which no request that is asked for was created are not read', async () => {
  for (const second of [1_000_000_000, 1_100_000_000]) {
    await happened(uuidv7({ msecs: second * 1000 }), 'failed', 'uploaded', second, null, second);
  }
  let plan = '';
  const listening = passingOn(opened.warehouse, {
    query: async <Row>(sql: string, parameters?: Readonly<Record<string, QueryParameter>>) => {
      const explained = `EXPLAIN indexes = 1 ${sql}`;
      const lines = await opened.warehouse.query<{ explain: string }>(explained, parameters);
      plan = lines.map(({ explain }) => explain).join('\n');
      return opened.warehouse.query<Row>(sql, parameters);
    },
  });
  const store = new SqlRequestStore(listening, opened.database);
  expect((await store.statesOf([GOOD, BAD])).size).toBe(2);
  const [, read, all] = /Min-?Max[^]*?Parts: (\d+)\/(\d+)/.exec(plan)!;
  expect(Number(read)).toBeLessThanOrEqual(Number(all) - 2);
});

test('a request is found whose upload took ten days, beside ids of any time or none', async () => {
  const { store } = openHistory();
  const slow = uuidv7({ msecs: 1_200_000_000_000 });
  await happened(slow, 'uploaded', null, 1_200_864_000, null, 1_200_864_000);
  const none = uuidv4();
  await happened(none, 'uploaded', null, 1_300_000_000, null, 1_300_000_000);
  const never = 'ffffffff-ffff-7fff-8000-000000000000';
  const foundAmong = async (...ids: readonly string[]): Promise<string[]> =>
    [...(await store.statesOf(ids)).keys()].sort();
  expect(await foundAmong(slow)).toEqual([slow]);
  expect(await foundAmong(never)).toEqual([]);
  expect(await foundAmong(never, slow, GOOD)).toEqual([GOOD, slow].sort());
  expect(await foundAmong(none)).toEqual([none]);
  expect(await foundAmong(none, slow, never)).toEqual([none, slow].sort());
});
