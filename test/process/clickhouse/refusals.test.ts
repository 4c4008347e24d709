import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';

import { ApiClient } from '../../support/service/api-client.js';
import { Deployment } from '../../support/service/deployment.js';
import { tokenFor } from '../../support/service/service-process.js';
import { until } from '../../support/until.js';

/** The ClickHouse server begins to refuse the user of a running service. */

const FILE =
  'date,channel,currency,campaign,impressions,clicks,cost\n2026-01-01,news,EUR,a,1,2,3\n';
const REFUSALS = 'custom_data_warehouse_refusals_total';

let deployment: Deployment;
let client: ApiClient;

beforeAll(async () => {
  deployment = await Deployment.open({ log: 'lmdb', warehouse: 'clickhouse' });
  const token = await tokenFor(deployment.dataDir, 'acme');
  client = new ApiClient(() => deployment.service.ports.api, token);
  await deployment.start();
});
afterEach(() => deployment.clickhouse!.heal());
afterAll(() => deployment.close());

test.each([
  ['a password that was changed', 516],
  ['a right that was taken away', 497],
  ['a user who may only read', 164],
])('%s: uploads wait, and succeed when it is given back', async (_, code) => {
  const { service, clickhouse } = deployment;
  const before = await service.metric(REFUSALS);
  await clickhouse!.fault({ kind: 'exception', code });
  const { requestId } = await client.create('cost', FILE);
  await client.until('cost', requestId, 'validated');
  await until(async () => (await service.metric(REFUSALS)) >= before + 5, 50);
  expect(service.process.exitCode).toBe(null);
  expect(await (await client.get('cost', requestId)).json()).toMatchObject({ status: 'validated' });
  await clickhouse!.heal();
  expect(await client.finished('cost', requestId)).toMatchObject({ status: 'succeeded' });
  expect(await service.metric('custom_data_dead_letters_total')).toBe(0);
});
