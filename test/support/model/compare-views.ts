import { setTimeout as sleep } from 'node:timers/promises';

import { expect } from '@jest/globals';

import { awayFromMidnight } from './utc-days.js';
import { sorted, type WarehouseModel } from './warehouse-model.js';

/** How far the history may lag behind. */
const HISTORY_MS = 60_000;

type Row = Record<string, string | number | boolean | null>;

/** Anything that can query the warehouse. */
export interface QueryTarget {
  query<Row>(sql: string): Promise<Row[]>;
}

/** Compares every view of the account with the model. */
export async function expectViewsToEqual(
  warehouse: QueryTarget,
  model: WarehouseModel,
  account: string,
): Promise<void> {
  await awayFromMidnight();
  const view = async (name: string, columns = '*'): Promise<Row[]> => {
    const rows = await warehouse.query<Row>(
      `SELECT ${columns} FROM ${name} WHERE account = '${account}'`,
    );
    for (const row of rows) {
      // They differ from run to run.
      delete row['request_id'];
      delete row['uploaded_at'];
      delete row['last_upload'];
    }
    return sorted(rows);
  };
  expect(await view('cost_rows')).toEqual(model.costRows(account));
  expect(await view('self_serve_rows')).toEqual(model.selfServeRows(account));
  expect(await view('cost_report')).toEqual(model.costReport(account));
  expect(await view('cost_summary')).toEqual(model.costSummary(account));
  expect(await view('self_serve_report')).toEqual(model.selfServeReport(account));
  expect(await view('self_serve_summary')).toEqual(model.selfServeSummary(account));
  const withDaysAsText = '* REPLACE (toString(missing_days) AS missing_days)';
  expect(await view('data_freshness', withDaysAsText)).toEqual(model.dataFreshness(account));
  expect(await view('spelling_variants')).toEqual(model.spellingVariants(account));
  const metrics = await view('metrics');
  expect(metrics.map(({ name }) => String(name)).sort()).toEqual(model.metricNames(account));
}

/** Compares the history with the account's requests. The history is written with a short delay. */
export async function expectHistoryToHave(
  warehouse: QueryTarget,
  account: string,
  requests: readonly { readonly requestId: string; readonly family: string }[],
): Promise<void> {
  const expected = requests
    .map(({ requestId, family }) => ({ request_id: requestId, family, status: 'succeeded' }))
    .sort((a, b) => (a.request_id < b.request_id ? -1 : 1));
  const until = Date.now() + HISTORY_MS;
  for (;;) {
    const rows = await warehouse.query<Row>(
      `SELECT toString(request_id) AS request_id, family, status FROM upload_requests
       WHERE account = '${account}' ORDER BY toString(request_id)`,
    );
    const isThere =
      rows.length >= expected.length && rows.every(({ status }) => status === 'succeeded');
    if (isThere || Date.now() > until) {
      expect(rows).toEqual(expected);
      return;
    }
    await sleep(100);
  }
}
