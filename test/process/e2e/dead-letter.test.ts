import { afterAll, beforeAll, expect, test } from '@jest/globals';

import { ApiClient } from '../../support/service/api-client.js';
import { Deployment } from '../../support/service/deployment.js';
import { jsonLines } from '../../support/service/outcome.js';
import { tokenFor } from '../../support/service/service-process.js';

/** The warehouse rejects an upload, ingest sets it aside, and an operator brings it back. */

const INCORRECT_DATA = 117;

let deployment: Deployment;
let client: ApiClient;

beforeAll(async () => {
  deployment = await Deployment.open({ log: 'lmdb', warehouse: 'clickhouse' });
  const token = await tokenFor(deployment.dataDir, 'acme');
  client = new ApiClient(() => deployment.service.ports.api, token);
  await deployment.start();
});
afterAll(() => deployment.close());

const customData = (...args: string[]): Promise<string> => deployment.customData(...args);

const deadLetters = async (): Promise<object[]> =>
  jsonLines(await customData('dead-letter', 'list', '--json'));

const file = (cost: number): string =>
  `date,channel,currency,campaign,impressions,clicks,cost\n2026-01-01,news,EUR,a,1,2,${cost}\n`;

const costs = (): Promise<unknown[]> =>
  deployment.query("SELECT cost FROM cost_rows WHERE account = 'acme'");

/** Uploads a file that the warehouse accepts and loses, until the fault changes. Returns its id. */
async function takenAndLost(cost: number): Promise<string> {
  await deployment.clickhouse!.fault({ kind: 'lost', on: 'insert' });
  const { requestId } = await client.create('cost', file(cost));
  await client.until('cost', requestId, 'ingested');
  return requestId;
}

test('a rejected upload fails with a reason and comes back as a new request at its old place', async () => {
  const clickhouse = deployment.clickhouse!;
  await clickhouse.fault({ kind: 'exception', on: 'insert', code: INCORRECT_DATA });
  const rejected = await client.upload('cost', file(1));
  expect(rejected).toMatchObject({ status: 'failed', prevStatus: 'validated' });
  expect(Object.keys(JSON.parse(rejected.reason!) as object)).toEqual(['file']);
  await clickhouse.heal();
  expect(await deployment.service.metrics()).toContain(
    'custom_data_dead_letters_total{family="cost",cause="rejected"} 1\n',
  );

  expect(await customData('dead-letter', 'list')).toMatch(
    new RegExp(`${rejected.requestId} +acme +cost .*code ${INCORRECT_DATA}`),
  );
  expect(await costs()).toEqual([]);

  const setAside = await deadLetters();
  expect(setAside).toEqual([
    {
      requestId: rejected.requestId,
      account: 'acme',
      family: 'cost',
      setAsideAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      cause: `rejected by the warehouse (code ${INCORRECT_DATA})`,
      retriedAs: null,
    },
  ]);
  const retried = (
    await customData('dead-letter', 'retry', rejected.requestId.toUpperCase())
  ).trim();
  expect(await client.finished('cost', retried)).toMatchObject({ status: 'succeeded' });
  expect(await costs()).toEqual([{ cost: 1 }]);
  expect(await deadLetters()).toEqual([{ ...setAside[0], retriedAs: retried }]);
  expect((await client.get('cost', rejected.requestId)).status).toBe(200);
  await expect(
    customData('dead-letter', 'retry', rejected.requestId.toUpperCase()),
  ).rejects.toThrow(/brought back already/);
});

test('one that comes back late does not replace what was accepted after it', async () => {
  const clickhouse = deployment.clickhouse!;
  await clickhouse.fault({ kind: 'exception', on: 'insert', code: INCORRECT_DATA });
  const rejected = await client.upload('cost', file(2));
  await clickhouse.heal();
  await client.upload('cost', file(3));
  const retried = (
    await customData('dead-letter', 'retry', rejected.requestId.toUpperCase())
  ).trim();
  expect(await client.finished('cost', retried)).toMatchObject({ status: 'succeeded' });
  expect(await costs()).toEqual([{ cost: 3 }]);
});

test('what the warehouse took and lost is stored again', async () => {
  const requestId = await takenAndLost(4);
  await deployment.clickhouse!.heal();
  expect(await client.finished('cost', requestId)).toMatchObject({ status: 'succeeded' });
  expect(await costs()).toEqual([{ cost: 4 }]);
});

test('what it lost and then rejects is set aside', async () => {
  const clickhouse = deployment.clickhouse!;
  const requestId = await takenAndLost(5);
  await clickhouse.fault({ kind: 'exception', on: 'insert', code: INCORRECT_DATA });
  const rejected = await client.finished('cost', requestId);
  expect(rejected).toMatchObject({ status: 'failed', prevStatus: 'ingested' });
  await clickhouse.heal();
  expect(await costs()).toEqual([{ cost: 4 }]);
  expect(await client.upload('cost', file(6))).toMatchObject({ status: 'succeeded' });
});
