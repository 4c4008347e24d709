import { afterEach, describe, expect, test } from '@jest/globals';

import { logFolder } from '../../../src/config/data-folder.js';
import { ChdbWarehouse } from '../../../src/warehouse/chdb/chdb-warehouse.js';
import { ApiClient } from '../../support/service/api-client.js';
import { expectHistoryToHave, expectViewsToEqual } from '../../support/model/compare-views.js';
import { costRows } from '../../support/files/cost-rows.js';
import { Deployment } from '../../support/service/deployment.js';
import { tokenFor } from '../../support/service/service-process.js';
import { COST, csvOf, type CsvRow, WarehouseModel } from '../../support/model/warehouse-model.js';
import { withoutTopic } from '../../support/log/without-topic.js';

/** The upgrade procedure of the operations page, on data of an earlier version. */

const ACCOUNT = 'acme';
/** Removes what later versions added: erasures, the audit and idempotency keys. */
const MADE_SINCE = [
  'DROP TABLE custom_data.account_erasures SYNC',
  'DROP TABLE custom_data.audit_events SYNC',
  'ALTER TABLE custom_data.schema_migrations DELETE WHERE number >= 106 SETTINGS mutations_sync = 2',
];
const TOPIC_SINCE = 'claims';

const rowsOf = (clicks: number): CsvRow[] => costRows(['every time', String(clicks)], clicks);

let deployment: Deployment;
afterEach(() => deployment.close());

async function makeOlder(): Promise<void> {
  if (deployment.clickhouse === undefined) {
    const warehouse = await ChdbWarehouse.open(deployment.dataDir, 'custom_data');
    for (const statement of MADE_SINCE) await warehouse.execute(statement);
    await warehouse.close();
  } else {
    for (const statement of MADE_SINCE) await deployment.clickhouse.query(statement);
  }
  await withoutTopic(logFolder(deployment.dataDir), TOPIC_SINCE);
}

describe.each([
  { log: 'lmdb', warehouse: 'chdb' },
  { log: 'lmdb', warehouse: 'clickhouse' },
] as const)('on $log and $warehouse', (kind) => {
  test('stop, new version, start: what was stored is there, and what is new works', async () => {
    deployment = await Deployment.open(kind);
    const token = await tokenFor(deployment.dataDir, ACCOUNT);
    const client = new ApiClient(() => deployment.service.ports.api, token);
    const model = new WarehouseModel();
    const uploads: { requestId: string; family: string }[] = [];
    const upload = async (clicks: number, key?: string): Promise<string> => {
      const rows = rowsOf(clicks);
      const answer = await client.post('cost', csvOf(COST, rows), 0, key);
      expect(answer.status).toBe(201);
      const { requestId } = (await answer.json()) as { requestId: string };
      expect(await client.finished('cost', requestId)).toMatchObject({ status: 'succeeded' });
      model.apply(ACCOUNT, COST, rows);
      uploads.push({ requestId, family: 'cost' });
      return requestId;
    };

    await deployment.start();
    await upload(1);
    await expectHistoryToHave(deployment, ACCOUNT, uploads);
    expect(await deployment.service.stop()).toBe(0);
    await makeOlder();

    if (kind.warehouse === 'clickhouse') await deployment.customData('migrate');
    await deployment.start();
    await expectViewsToEqual(deployment, model, ACCOUNT);
    const requestId = await upload(2, 'a key');
    const again = await client.post('cost', csvOf(COST, rowsOf(2)), 0, 'a key');
    expect(await again.json()).toMatchObject({ requestId });
    await expectHistoryToHave(deployment, ACCOUNT, uploads);
    await expectViewsToEqual(deployment, model, ACCOUNT);
    expect(await deployment.customData('audit', '--account', ACCOUNT)).toContain(requestId);
  });
});
