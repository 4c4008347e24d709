import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';

import { COST, textColumns } from '../../../../src/domain/families/index.js';
import { storageBlock, type Row, type StoredKey } from '../../../support/model/native-rows.js';
import { openTestWarehouse, type TestWarehouse } from '../../../support/chdb/warehouse.js';

let opened: TestWarehouse;
beforeAll(async () => {
  opened = await openTestWarehouse();
});
afterAll(() => opened.close());
beforeEach(() => opened.warehouse.execute(`TRUNCATE TABLE ${opened.database}.cost`));

const FIRST = '0193c2f0-0000-7000-8000-000000000001';
const SECOND = '0193c2f0-0000-7000-8000-000000000002';

function key(rows: readonly Row[], other: Partial<StoredKey> = {}): StoredKey {
  return {
    account: 'acme',
    date: '2026-03-01',
    channel: 'radio',
    third: 'spring',
    version: 1n,
    requestId: FIRST,
    uploadedAt: 1_772_323_200,
    rows: rows.map((row) => ({ currency: 'USD', ...row })),
    ...other,
  };
}

async function store(...keys: StoredKey[]): Promise<void> {
  await opened.warehouse.insert('cost', storageBlock('cost', keys));
}

async function rowsOf(view: string, columns: string, where = '1'): Promise<unknown[]> {
  return opened.warehouse.query(
    `SELECT ${columns} FROM ${opened.database}.${view} WHERE ${where} ORDER BY ALL`,
  );
}

async function merge(): Promise<void> {
  await opened.warehouse.execute(`OPTIMIZE TABLE ${opened.database}.cost FINAL`);
}

test.each([
  ['cost_report, of combinations', 'cost_report', 1],
  ['cost_rows, of combinations', 'cost_rows', 1],
  ['cost_rows, of CSV rows', 'cost_rows', 2],
] as const)('%s, shows every text by its name', async (_, view, equalRows) => {
  const texts = Object.fromEntries(textColumns(COST).map(({ name }) => [name, `the ${name}`]));
  const rows = Array<typeof texts>(equalRows).fill(texts);
  await store(key(rows.map((row) => ({ ...row, cost: 1 }))));
  expect(await rowsOf(view, Object.keys(texts).join(', '))).toEqual(rows);
});

describe('an overwrite key', () => {
  const older = key([
    { ad_group: 'a', cost: 1 },
    { ad_group: 'b', cost: 2 },
  ]);
  const newer = key([{ cost: 10, clicks: 5 }], { version: 2n ** 100n, requestId: SECOND });

  test.each([
    ['in the order of acceptance', [older, newer]],
    ['in the other order', [newer, older]],
  ])('is replaced as a whole by the highest version, written %s', async (_, keys) => {
    for (const each of keys) await store(each);
    for (const when of ['before a merge', 'after it']) {
      if (when === 'after it') await merge();
      expect(await rowsOf('cost_rows', 'ad_group, cost, clicks, request_id')).toEqual([
        { ad_group: '', cost: 10, clicks: '5', request_id: SECOND },
      ]);
      expect(await rowsOf('cost_report', 'ad_group, cost, clicks')).toEqual([
        { ad_group: '', cost: 10, clicks: '5' },
      ]);
      expect(await rowsOf('cost_summary', 'cost, clicks')).toEqual([{ cost: 10, clicks: '5' }]);
    }
  });

  test('that was replaced does not come back through a filter on what it held', async () => {
    await store(older);
    await store(newer);
    expect(await rowsOf('cost_rows', '*', `request_id = '${FIRST}'`)).toEqual([]);
    expect(await rowsOf('cost_report', '*', "ad_group = 'a'")).toEqual([]);
    expect(await rowsOf('cost_summary', '*', 'cost < 10')).toEqual([]);
  });

  test('is one of account, date, channel and campaign, by case', async () => {
    const keys = [
      key([{ cost: 1 }]),
      key([{ cost: 2 }], { account: 'other' }),
      key([{ cost: 3 }], { date: '2026-03-02' }),
      key([{ cost: 4 }], { channel: 'Radio' }),
      key([{ cost: 5 }], { third: 'Spring' }),
    ];
    for (const each of keys) await store(each);
    await merge();
    for (const view of ['cost_rows', 'cost_report', 'cost_summary']) {
      expect(await rowsOf(view, 'cost')).toEqual([1, 2, 3, 4, 5].map((cost) => ({ cost })));
    }
  });
});

test('cost_rows has every row of the file, with what it left out as empty text', async () => {
  await store(
    key([
      { impressions: 999_999_999_999, clicks: 3, cost: 0.1, country: 'us', os_name: 'iOS' },
      { impressions: 0, clicks: 0, cost: 0 },
    ]),
  );
  const blank = Object.fromEntries(
    [
      'campaign_id',
      'ad_group',
      'ad_group_id',
      'ad_creative',
      'ad_creative_id',
      'term',
      'term_id',
      'ad_account',
      'ad_account_id',
      'sub_publisher',
      'sub_sub_publisher_1',
      'sub_sub_publisher_2',
      'sub_sub_publisher_3',
      'country',
      'os_name',
    ].map((name) => [name, '']),
  );
  const shared = {
    account: 'acme',
    date: '2026-03-01',
    channel: 'radio',
    currency: 'USD',
    campaign: 'spring',
    request_id: FIRST,
    uploaded_at: '2026-03-01 00:00:00',
    ...blank,
  };
  expect(await rowsOf('cost_rows', '*')).toEqual([
    { ...shared, impressions: '0', clicks: '0', cost: 0 },
    {
      ...shared,
      impressions: '999999999999',
      clicks: '3',
      cost: 0.1,
      country: 'us',
      os_name: 'iOS',
    },
  ]);
});

describe('cost_report', () => {
  test('adds up the rows that agree on every group-by column', async () => {
    await store(
      key([
        { os_name: 'iOS', impressions: 10, clicks: 1, cost: 0.5 },
        { os_name: 'iOS', impressions: 20, clicks: 2, cost: 0.25 },
        { os_name: 'ios', impressions: 40, clicks: 4, cost: 4 },
      ]),
    );
    expect(await rowsOf('cost_report', 'os_name, impressions, clicks, cost')).toEqual([
      { os_name: 'iOS', impressions: '30', clicks: '3', cost: 0.75 },
      { os_name: 'ios', impressions: '40', clicks: '4', cost: 4 },
    ]);
  });

  test('hides a combination whose rows are all zero, and no other one', async () => {
    await store(
      key([
        { ad_group: 'deleted' },
        { ad_group: 'deleted' },
        { ad_group: 'refunded', cost: 5 },
        { ad_group: 'refunded', cost: -5 },
        { ad_group: 'seen', impressions: 1 },
      ]),
      key([{}], { third: 'all deleted' }),
    );
    expect(await rowsOf('cost_report', 'ad_group, impressions, cost')).toEqual([
      { ad_group: 'refunded', impressions: '0', cost: 0 },
      { ad_group: 'seen', impressions: '1', cost: 0 },
    ]);
  });

  test('never adds one currency to another', async () => {
    await store(key([{ cost: 1 }, { cost: 2, currency: 'EUR' }, { cost: 4 }]));
    expect(await rowsOf('cost_report', 'currency, cost')).toEqual([
      { currency: 'EUR', cost: 2 },
      { currency: 'USD', cost: 5 },
    ]);
  });
});

describe('cost_summary', () => {
  test('has one row per overwrite key and currency that is not deleted', async () => {
    await store(
      key([
        { ad_group: 'a', impressions: 10, clicks: 1, cost: 1.5 },
        { ad_group: 'b', impressions: 20, clicks: 2, cost: 2 },
        { currency: 'EUR', cost: 7 },
        { currency: 'KRW' },
      ]),
      key([{}], { third: 'deleted' }),
      key([{ cost: 5 }, { cost: -5 }], { third: 'refunded' }),
    );
    const shared = { account: 'acme', date: '2026-03-01', channel: 'radio' };
    const none = { impressions: '0', clicks: '0' };
    expect(await rowsOf('cost_summary', '*')).toEqual([
      { ...shared, campaign: 'refunded', currency: 'USD', ...none, cost: 0 },
      { ...shared, campaign: 'spring', currency: 'EUR', ...none, cost: 7 },
      { ...shared, campaign: 'spring', currency: 'USD', impressions: '30', clicks: '3', cost: 3.5 },
    ]);
  });
});

test.each(['cost_rows', 'cost_report', 'cost_summary'])(
  '%s reads only the accounts and days that are asked for',
  async (view) => {
    await store(key([{ cost: 1 }]));
    const plan = await opened.warehouse.query<{ explain: string }>(
      `EXPLAIN indexes = 1 SELECT sum(cost) FROM ${opened.database}.${view}
       WHERE account = {account:String} AND date BETWEEN '2026-03-01' AND '2026-03-30'`,
      { account: 'acme' },
    );
    const lines = plan.map(({ explain }) => explain).join('\n');
    expect(lines).toMatch(/FINAL: 1/);
    expect(lines).toMatch(/Keys:\s+account\s+date\s/);
  },
);
