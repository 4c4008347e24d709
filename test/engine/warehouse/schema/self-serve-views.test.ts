import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';

import {
  blockOf,
  column,
  BOOL,
  DATE_TIME,
  STRING,
  UINT128,
} from '../../../../src/warehouse/native/block.js';
import { SELF_SERVE, textColumns } from '../../../../src/domain/families/index.js';
import { storageBlock, type Row, type StoredKey } from '../../../support/model/native-rows.js';
import { openTestWarehouse, type TestWarehouse } from '../../../support/chdb/warehouse.js';

let opened: TestWarehouse;
beforeAll(async () => {
  opened = await openTestWarehouse();
});
afterAll(() => opened.close());
beforeEach(async () => {
  for (const table of ['self_serve', 'metric_sightings', 'metric_archivals']) {
    await opened.warehouse.execute(`TRUNCATE TABLE ${opened.database}.${table}`);
  }
});

const FIRST = '0193c2f0-0000-7000-8000-000000000001';
const SECOND = '0193c2f0-0000-7000-8000-000000000002';
const MARCH_FIRST = 1_772_323_200;

function key(rows: readonly Row[], other: Partial<StoredKey> = {}): StoredKey {
  return {
    account: 'acme',
    date: '2026-03-01',
    channel: 'radio',
    third: 'Signups',
    version: 1n,
    requestId: FIRST,
    uploadedAt: MARCH_FIRST,
    rows,
    ...other,
  };
}

async function store(...keys: StoredKey[]): Promise<void> {
  await opened.warehouse.insert('self_serve', storageBlock('self_serve', keys));
}

async function archive(
  account: string,
  name: string,
  archived: boolean,
  version: bigint,
): Promise<void> {
  const block = blockOf(
    [
      column('account', STRING, [account]),
      column('name', STRING, [name]),
      column('archived', BOOL, [archived]),
      column('changed_at', DATE_TIME, [MARCH_FIRST]),
      column('version', UINT128, [version]),
    ],
    1,
  );
  await opened.warehouse.insert('metric_archivals', block);
}

async function rowsOf(view: string, columns: string, where = '1'): Promise<unknown[]> {
  return opened.warehouse.query(
    `SELECT ${columns} FROM ${opened.database}.${view} WHERE ${where} ORDER BY ALL`,
  );
}

test.each([
  ['self_serve_report, of combinations', 'self_serve_report', 1],
  ['self_serve_rows, of combinations', 'self_serve_rows', 1],
  ['self_serve_rows, of CSV rows', 'self_serve_rows', 2],
] as const)('%s, shows every text by its name', async (_, view, equalRows) => {
  const texts = Object.fromEntries(
    textColumns(SELF_SERVE).map(({ name, kind }) => [
      name,
      kind === 'boolean' ? name === 'is_first_event_per_user_id' : `the ${name}`,
    ]),
  );
  const rows = Array<typeof texts>(equalRows).fill(texts);
  await store(key(rows));
  expect(await rowsOf(view, Object.keys(texts).join(', '))).toEqual(rows);
});

describe('an overwrite key', () => {
  const older = key([
    { ad_group: 'a', event_value: 1 },
    { ad_group: 'b', event_value: 2 },
  ]);
  const newer = key([{ event_value: 10 }], { version: 2n, requestId: SECOND });

  test.each([
    ['in the order of acceptance', [older, newer]],
    ['in the other order', [newer, older]],
  ])('is replaced as a whole by the highest version, written %s', async (_, keys) => {
    for (const each of keys) await store(each);
    for (const when of ['before a merge', 'after it']) {
      if (when === 'after it') {
        await opened.warehouse.execute(`OPTIMIZE TABLE ${opened.database}.self_serve FINAL`);
      }
      expect(await rowsOf('self_serve_rows', 'ad_group, event_value, request_id')).toEqual([
        { ad_group: '', event_value: 10, request_id: SECOND },
      ]);
      expect(await rowsOf('self_serve_report', 'ad_group, event_value')).toEqual([
        { ad_group: '', event_value: 10 },
      ]);
    }
  });
});

test('self_serve_rows has every row of the file; what it left out is empty or NULL', async () => {
  await store(
    key([
      { event_value: -1.5, currency: 'EUR', is_first_event_per_device_id: false },
      { event_value: 2, event_source: 'app', is_first_event_per_user_id: true },
    ]),
  );
  const shared = {
    account: 'acme',
    date: '2026-03-01',
    channel: 'radio',
    event_category: 'Signups',
    campaign: '',
    ad_group: '',
    ad_creative: '',
    content: '',
    event_source: '',
    os_name: '',
    term: '',
    country: '',
    currency: '',
    sub_publisher: '',
    sub_sub_publisher_1: '',
    sub_sub_publisher_2: '',
    sub_sub_publisher_3: '',
    is_first_event_per_device_id: null,
    is_first_event_per_user_id: null,
    request_id: FIRST,
    uploaded_at: '2026-03-01 00:00:00',
  };
  expect(await rowsOf('self_serve_rows', '*')).toEqual([
    { ...shared, event_value: -1.5, currency: 'EUR', is_first_event_per_device_id: false },
    { ...shared, event_value: 2, event_source: 'app', is_first_event_per_user_id: true },
  ]);
});

describe('self_serve_report', () => {
  test('adds up the rows that agree on every group-by column', async () => {
    await store(
      key([
        { os_name: 'Android', event_value: 1 },
        { os_name: 'android', event_value: 2 },
        { os_name: 'Android', event_value: 4 },
        { os_name: 'Android', event_value: 8, is_first_event_per_user_id: false },
        { os_name: 'Android', event_value: 16, is_first_event_per_user_id: false },
        { os_name: 'Android', event_value: 32, currency: 'EUR' },
      ]),
    );
    const columns = 'os_name, currency, is_first_event_per_user_id AS first, event_value';
    expect(await rowsOf('self_serve_report', columns)).toEqual([
      { os_name: 'Android', currency: '', first: false, event_value: 24 },
      { os_name: 'Android', currency: '', first: null, event_value: 5 },
      { os_name: 'Android', currency: 'EUR', first: null, event_value: 32 },
      { os_name: 'android', currency: '', first: null, event_value: 2 },
    ]);
  });

  test('shows a value of zero: there is no deletion', async () => {
    await store(key([{ event_value: 0 }]));
    expect(await rowsOf('self_serve_report', 'event_value')).toEqual([{ event_value: 0 }]);
  });

  test('hides the archived metrics of the account until they are restored', async () => {
    await store(
      key([{ event_value: 1 }]),
      key([{ event_value: 2 }], { third: 'signups' }),
      key([{ event_value: 4 }], { account: 'other' }),
    );
    const values = async (): Promise<unknown[]> => rowsOf('self_serve_report', 'event_value');
    await archive('acme', 'Signups', true, 2n);
    expect(await values()).toEqual([{ event_value: 2 }, { event_value: 4 }]);
    await archive('acme', 'Signups', false, 1n);
    expect(await values()).toEqual([{ event_value: 2 }, { event_value: 4 }]);
    await archive('acme', 'Signups', false, 3n);
    expect(await values()).toEqual([{ event_value: 1 }, { event_value: 2 }, { event_value: 4 }]);
  });
});

describe('self_serve_summary', () => {
  test('adds up the combinations of a key, in their order', async () => {
    // In another order the small values would be lost.
    const values = [1, 1e16, -1e16, 0.25];
    await store(
      key(values.map((event_value, at) => ({ ad_group: `${at}`, event_value }))),
      key([{ event_value: 0 }], { third: 'Visits' }),
    );
    expect(await rowsOf('self_serve_summary', 'event_category, event_value')).toEqual([
      { event_category: 'Signups', event_value: 0.25 },
      { event_category: 'Visits', event_value: 0 },
    ]);
  });

  test('adds up however many combinations a key has as a loop over them does', async () => {
    const counts = [2, 7, 8, 9, 31, 64, 100, 1000];
    const valuesOf = (count: number): number[] =>
      Array.from({ length: count }, (_, at) => Math.sin(at + count) * 10 ** (at % 9));
    const rows = (count: number): Record<string, string | number>[] =>
      valuesOf(count).map((event_value, at) => ({ ad_group: `${at}`, event_value }));
    await store(...counts.map((count) => key(rows(count), { third: `m${count}` })));
    const sums = counts.map((count) => ({
      event_category: `m${count}`,
      event_value: valuesOf(count).reduce((sum, value) => sum + value, 0),
    }));
    const inOrder = sums.sort((a, b) => (a.event_category < b.event_category ? -1 : 1));
    expect(await rowsOf('self_serve_summary', 'event_category, event_value')).toEqual(inOrder);
  });

  test('hides archived metrics and what was replaced', async () => {
    await store(key([{ event_value: 1 }]), key([{ event_value: 2 }], { third: 'Visits' }));
    await store(key([{ event_value: 8 }], { third: 'Visits', version: 2n }));
    await archive('acme', 'Signups', true, 2n);
    expect(await rowsOf('self_serve_summary', 'event_value')).toEqual([{ event_value: 8 }]);
  });
});

describe('metrics', () => {
  test('tells when each name of an account was first and last uploaded', async () => {
    await store(key([{}], { uploadedAt: MARCH_FIRST + 60 }), key([{}], { third: 'Visits' }));
    await store(
      key([{}], { uploadedAt: MARCH_FIRST, date: '2026-02-01' }),
      key([{}], { account: 'other', uploadedAt: MARCH_FIRST + 5 }),
    );
    await archive('acme', 'Visits', true, 1n);
    const seen = (time: string): string => `2026-03-01 ${time}`;
    expect(await rowsOf('metrics', '*')).toEqual([
      {
        account: 'acme',
        name: 'Signups',
        first_seen: seen('00:00:00'),
        last_seen: seen('00:01:00'),
        archived: false,
      },
      {
        account: 'acme',
        name: 'Visits',
        first_seen: seen('00:00:00'),
        last_seen: seen('00:00:00'),
        archived: true,
      },
      {
        account: 'other',
        name: 'Signups',
        first_seen: seen('00:00:05'),
        last_seen: seen('00:00:05'),
        archived: false,
      },
    ]);
  });
});

test.each(['self_serve_rows', 'self_serve_report', 'self_serve_summary'])(
  '%s reads only the accounts and days that are asked for',
  async (view) => {
    await store(key([{ event_value: 1 }]));
    const plan = await opened.warehouse.query<{ explain: string }>(
      `EXPLAIN indexes = 1 SELECT sum(event_value) FROM ${opened.database}.${view}
       WHERE account = {account:String} AND date BETWEEN '2026-03-01' AND '2026-03-30'`,
      { account: 'acme' },
    );
    const lines = plan.map(({ explain }) => explain).join('\n');
    expect(lines).toMatch(/FINAL: 1/);
    expect(lines).toMatch(/Keys:\s+account\s+date\s/);
  },
);
