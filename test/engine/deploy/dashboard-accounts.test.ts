import { afterAll, beforeAll, expect, test } from '@jest/globals';

import { openTestWarehouse, type TestWarehouse } from '../../support/chdb/warehouse.js';
import { readReport, sqlOf } from '../../support/documents/report-dashboard.js';

/** Rows outlive the requests that brought them: HISTORY_RETENTION_DAYS deletes old requests alone. */

let opened: TestWarehouse;
beforeAll(async () => {
  opened = await openTestWarehouse();
  for (const row of [
    `cost SELECT 'of cost', today(), 'Radio', 'Brand', 1, generateUUIDv4(), now(),
       [(1, 1, 1, 'EUR', '', '', '', '', '', '')], [], [('EUR', 1, 1, 1)]`,
    `self_serve SELECT 'of self-serve', today(), 'radio', 'Visits', 1, generateUUIDv4(), now(),
       [(1, '', '', '', '', '', '')], []`,
    `request_transitions SELECT generateUUIDv4(), arrayJoin(['of cost', 'of requests']), 'cost',
       'failed', 'uploaded', NULL, now(), now(), 1, 1, 1, 1, 1, 1`,
  ]) {
    await opened.warehouse.execute(`INSERT INTO ${opened.database}.${row}`);
  }
});
afterAll(() => opened.close());

test.each(['actuals', 'trends', 'quality'])(
  '%s offers each account once, also those without requests or without rows',
  async (name) => {
    const variable = readReport(name).templating.list.find((each) => each.name === 'account')!;
    // The engine's own sessions have no database.
    const sql = sqlOf(variable).replace(/\bFROM (?=\w)/g, `FROM ${opened.database}.`);
    expect(await opened.warehouse.query(sql)).toEqual([
      { account: 'of cost' },
      { account: 'of requests' },
      { account: 'of self-serve' },
    ]);
  },
);

test.each(['actuals', 'trends', 'quality'])('%s asks for accounts as one text', (name) => {
  const variable = readReport(name).templating.list.find((each) => each.name === 'account')!;
  expect(variable).toMatchObject({ definition: sqlOf(variable) });
});
