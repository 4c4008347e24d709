import { expect } from '@jest/globals';

import { sorted, type WarehouseModel } from './warehouse-model.js';

type Row = Record<string, string | number | boolean | null>;

/** Whatever a query of the warehouse can be sent to. */
export interface QueryTarget {
  query<Row>(sql: string): Promise<Row[]>;
}

/** Compares every view of the account with the model. */
export async function expectViewsToEqual(
  warehouse: QueryTarget,
  model: WarehouseModel,
  account: string,
): Promise<void> {
  const view = async (name: string): Promise<Row[]> => {
    const rows = await warehouse.query<Row>(`SELECT * FROM ${name} WHERE account = '${account}'`);
    return sorted(rows.map(({ request_id: _id, uploaded_at: _at, ...row }) => row));
  };
  expect(await view('cost_rows')).toEqual(model.costRows(account));
  expect(await view('self_serve_rows')).toEqual(model.selfServeRows(account));
  expect(await view('cost_report')).toEqual(model.costReport(account));
  expect(await view('cost_summary')).toEqual(model.costSummary(account));
  expect(await view('self_serve_report')).toEqual(model.selfServeReport(account));
}
