import { afterAll, beforeAll, expect, test } from '@jest/globals';

import { ApiClient } from '../../support/service/api-client.js';
import { expectViewsToEqual } from '../../support/model/compare-views.js';
import { Deployment, describeDeployments } from '../../support/service/deployment.js';
import { tokensFor } from '../../support/service/service-process.js';
import {
  COST,
  csvOf,
  type CsvRow,
  SELF_SERVE,
  WarehouseModel,
} from '../../support/model/warehouse-model.js';

/** The overwrite rules of the specification against the built service, one test per consequence. */

/** At least as many as there are tests. */
const ACCOUNTS = 10;

const costRow = (more: CsvRow = {}): CsvRow => ({
  date: '2026-03-01',
  channel: 'news',
  currency: 'EUR',
  campaign: 'spring',
  impressions: '100',
  clicks: '10',
  cost: '5.5',
  ...more,
});

const today = new Date().toISOString().slice(0, 10);
const metricRow = (more: CsvRow = {}): CsvRow => ({
  date: today,
  channel: 'news',
  event_category: 'visits',
  event_value: '7',
  ...more,
});

describeDeployments((kind) => {
  let deployment: Deployment;
  let tokens: readonly string[];
  let accounts = 0;

  beforeAll(async () => {
    deployment = await Deployment.open(kind);
    // Before the start: a running service takes up to a second to accept one.
    const names = Array.from({ length: ACCOUNTS }, (_, at) => `overwrite-${at}`);
    tokens = await tokensFor(deployment.dataDir, names);
    await deployment.start();
  });
  afterAll(() => deployment.close());

  /** Takes another account, its client, and a model that follows each upload. */
  function newAccount(): {
    account: string;
    client: ApiClient;
    cost: (rows: readonly CsvRow[]) => Promise<void>;
    selfServe: (rows: readonly CsvRow[]) => Promise<void>;
    expectViews: () => Promise<void>;
  } {
    const token = tokens[accounts]!;
    const account = `overwrite-${accounts++}`;
    const client = new ApiClient(() => deployment.service.ports.api, token);
    const model = new WarehouseModel();
    const upload = async (family: typeof COST, rows: readonly CsvRow[]): Promise<void> => {
      const record = await client.upload(family.name, csvOf(family, rows));
      expect(record).toMatchObject({ status: 'succeeded', prevStatus: 'ingested', reason: null });
      model.apply(account, family, rows);
    };
    return {
      account,
      client,
      cost: (rows) => upload(COST, rows),
      selfServe: (rows) => upload(SELF_SERVE, rows),
      expectViews: () => expectViewsToEqual(deployment, model, account),
    };
  }

  const costReportOf = (account: string): Promise<Record<string, unknown>[]> =>
    deployment.query(
      `SELECT campaign, ad_group, toFloat64(sum(cost)) AS cost FROM cost_report
       WHERE account = '${account}' GROUP BY campaign, ad_group ORDER BY campaign, ad_group`,
    );

  test('a campaign-level upload replaces ad-group rows wholesale, and the ad group is empty', async () => {
    const { account, cost, expectViews } = newAccount();
    await cost([costRow({ ad_group: 'a' }), costRow({ ad_group: 'b', cost: '2' })]);
    await cost([costRow({ cost: '9' })]);
    expect(await costReportOf(account)).toEqual([{ campaign: 'spring', ad_group: '', cost: 9 }]);
    await expectViews();
  });

  test('an ad-group-level upload replaces a campaign row, and the result carries the ad group', async () => {
    const { account, cost, expectViews } = newAccount();
    await cost([costRow()]);
    await cost([costRow({ ad_group: 'a', cost: '3' })]);
    expect(await costReportOf(account)).toEqual([{ campaign: 'spring', ad_group: 'a', cost: 3 }]);
    await expectViews();
  });

  test('of several rows under one key only the new ones remain; other keys stay, new keys are added', async () => {
    const { account, cost, expectViews } = newAccount();
    await cost([
      costRow({ ad_group: 'a' }),
      costRow({ ad_group: 'b' }),
      costRow({ ad_group: 'c' }),
      costRow({ campaign: 'kept', ad_group: 'k' }),
      costRow({ date: '2026-03-02', ad_group: 'next day' }),
    ]);
    await cost([
      costRow({ ad_group: 'd', cost: '1' }),
      costRow({ campaign: 'new', ad_group: 'n' }),
    ]);
    expect(await costReportOf(account)).toEqual([
      { campaign: 'kept', ad_group: 'k', cost: 5.5 },
      { campaign: 'new', ad_group: 'n', cost: 5.5 },
      { campaign: 'spring', ad_group: 'd', cost: 1 },
      { campaign: 'spring', ad_group: 'next day', cost: 5.5 },
    ]);
    await expectViews();
  });

  test('an upload with all metrics 0 deletes the combination from the report', async () => {
    const { account, cost, expectViews } = newAccount();
    await cost([costRow({ campaign: 'stays', ad_group: 's' }), costRow({ ad_group: 'a' })]);
    await cost([costRow({ ad_group: 'a', impressions: '0', clicks: '0', cost: '0' })]);
    expect(await costReportOf(account)).toEqual([{ campaign: 'stays', ad_group: 's', cost: 5.5 }]);
    await expectViews();
  });

  test('values that differ in case are different keys', async () => {
    const { cost, expectViews } = newAccount();
    await cost([costRow({ channel: 'News', campaign: 'spring', os_name: 'Android' })]);
    await cost([costRow({ channel: 'news', campaign: 'Spring', os_name: 'android' })]);
    await expectViews();
  });

  test('a self-serve row replaces the row of its key with all its columns', async () => {
    const { cost, selfServe, expectViews } = newAccount();
    await cost([costRow()]);
    await selfServe([metricRow({ ad_group: 'a' }), metricRow({ event_category: 'orders' })]);
    await selfServe([metricRow({ event_value: '8', is_first_event_per_user_id: 'true' })]);
    await expectViews();
    await selfServe([metricRow({ ad_group: 'b' })]);
    await expectViews();
  });

  test('rows of one self-serve file that agree on everything show as one row with their sum', async () => {
    const { account, selfServe, expectViews } = newAccount();
    await selfServe([metricRow(), metricRow({ event_value: '5' }), metricRow({ os_name: 'iOS' })]);
    expect(
      await deployment.query(
        `SELECT os_name, event_value FROM self_serve_report WHERE account = '${account}' ORDER BY os_name`,
      ),
    ).toEqual([
      { os_name: '', event_value: 12 },
      { os_name: 'iOS', event_value: 7 },
    ]);
    await expectViews();
  });

  test('ten thousand equal rows show as one with their sum', async () => {
    const { account, cost, expectViews } = newAccount();
    await cost(Array.from({ length: 10_000 }, () => costRow({ cost: '0.1' })));
    const counts = await deployment.query(
      `SELECT (SELECT toUInt32(count()) FROM cost_rows WHERE account = '${account}') AS rows,
              (SELECT toUInt32(count()) FROM cost_report WHERE account = '${account}') AS combinations`,
    );
    expect(counts).toEqual([{ rows: 10_000, combinations: 1 }]);
    await expectViews();
  });

  test('a sum that no number can hold shows as infinite, its rows as they are', async () => {
    const { account, cost } = newAccount();
    await cost([costRow({ cost: '1e308' }), costRow({ cost: '1e308' })]);
    const shown = (view: string): Promise<unknown[]> =>
      deployment.query(`SELECT toString(cost) AS cost FROM ${view} WHERE account = '${account}'`);
    expect(await shown('cost_rows')).toEqual([{ cost: '1e308' }, { cost: '1e308' }]);
    for (const view of ['cost_report', 'cost_summary']) {
      expect(await shown(view)).toEqual([{ cost: 'inf' }]);
    }
  });

  test('a file that fails leaves what was stored as it is', async () => {
    const { client, cost, expectViews } = newAccount();
    await cost([costRow()]);
    const file = csvOf(COST, [costRow({ cost: '77' }), costRow({ campaign: 'x', clicks: '-1' })]);
    const record = await client.upload('cost', file);
    expect(record).toMatchObject({ status: 'failed', prevStatus: 'uploaded' });
    expect(JSON.parse(record.reason!)).toEqual({
      clicks: ['row 3: "-1" is not a whole number from 0 to 999999999999, digits only'],
    });
    await expectViews();
  });
});
