import { afterEach, beforeEach, expect, test } from '@jest/globals';

import { adapted, commandsOf } from '../../support/documents/commands.js';
import { Page, snippet } from '../../support/documents/page.js';
import { ApiClient } from '../../support/service/api-client.js';
import { expectHistoryToHave, expectViewsToEqual } from '../../support/model/compare-views.js';
import { costRows } from '../../support/files/cost-rows.js';
import { Deployment } from '../../support/service/deployment.js';
import { makeDataDir, removeDataDir, tokenFor } from '../../support/service/service-process.js';
import {
  COST,
  csvOf,
  type CsvRow,
  SELF_SERVE,
  WarehouseModel,
} from '../../support/model/warehouse-model.js';

/** The backup procedure of the operations page for tables on a ClickHouse server, with BACKUP. */

const ACCOUNT = 'acme';
const TODAY = new Date().toISOString().slice(0, 10);

let deployment: Deployment;
let client: ApiClient;
let backups: string;
const model = new WarehouseModel();
const uploads: { requestId: string; family: string }[] = [];

beforeEach(async () => {
  backups = await makeDataDir();
  const [, allowing] = /`(<backups>[^`]*)`/.exec(new Page('operations.md').text)!;
  deployment = await Deployment.open(
    { log: 'lmdb', warehouse: 'clickhouse' },
    `<clickhouse>${adapted(allowing!, { '/backups/': `${backups}/` })}</clickhouse>`,
  );
  const token = await tokenFor(deployment.dataDir, ACCOUNT);
  client = new ApiClient(() => deployment.service.ports.api, token);
  await deployment.start();
});
afterEach(async () => {
  await deployment.close();
  await removeDataDir(backups);
});

async function upload(clicks: number): Promise<void> {
  const costs = costRows(['every time', String(clicks)], clicks);
  const events: CsvRow[] = [
    { date: TODAY, channel: 'news', event_category: `Visits${clicks}`, event_value: '2' },
  ];
  for (const [family, rows] of [
    [COST, costs],
    [SELF_SERVE, events],
  ] as const) {
    const record = await client.upload(family.name, csvOf(family, rows));
    expect(record).toMatchObject({ status: 'succeeded' });
    uploads.push({ requestId: record.requestId, family: family.name });
    model.apply(ACCOUNT, family, rows);
  }
}

/** Runs the page's statements, one a line, with the folder of this test. */
async function run(block: string): Promise<void> {
  for (const sql of commandsOf(adapted(block, { '/backups/': `${backups}/` }))) {
    await deployment.clickhouse!.query(sql, 'default');
  }
}

test('tables that are lost come back with what was uploaded after their backup', async () => {
  await upload(1);
  // The replay starts here, so everything before it has to be in the tables and the history.
  await expectHistoryToHave(deployment, ACCOUNT, uploads);
  const time = new Date().toISOString();
  // The service runs and accepts uploads during the backup.
  await Promise.all([run(snippet('operations.md', 'BACKUP DATABASE')), upload(2)]);
  await upload(3);

  expect(await deployment.service.stop()).toBe(0);
  await run(snippet('operations.md', 'RESTORE DATABASE'));
  expect(await deployment.query("SELECT 1 AS one FROM cost_rows WHERE campaign = '3'")).toEqual([]);
  await deployment.customData('replay', '--from', time);
  await deployment.start();
  await upload(4);
  await expectHistoryToHave(deployment, ACCOUNT, uploads);
  await expectViewsToEqual(deployment, model, ACCOUNT);
});
