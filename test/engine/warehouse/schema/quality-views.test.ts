import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';

import { v7 as uuidv7 } from 'uuid';
import type { Family } from '../../../../src/domain/families/index.js';
import { plainForm } from '../../../../src/preview/warnings/file-warnings.js';
import { SqlRequestStore } from '../../../../src/status/sql-request-store.js';
import { type Transition, timestampOf } from '../../../../src/status/transition.js';
import { openTestWarehouse, type TestWarehouse } from '../../../support/chdb/warehouse.js';
import { storageBlock, type Row, type StoredKey } from '../../../support/model/native-rows.js';
import { awayFromMidnight, DAY_MS, daysAgo } from '../../../support/model/utc-days.js';

/** The views of which days are stored, of spellings and of uploads by day. */

const DATABASE = 'custom_data';
const REQUEST = '0193c2f0-0000-7000-8000-000000000001';
const MARCH_FIRST = 1_772_323_200;

/** The days from one number of days ago to another, the oldest first. */
function daysFrom(oldest: number, newest: number): string[] {
  return Array.from({ length: oldest - newest + 1 }, (_, index) => daysAgo(oldest - index));
}

const LIVE: Row = { currency: 'EUR', cost: 1, event_value: 1 };
const ZEROS: Row = { currency: 'EUR' };

describe('of the views', () => {
  let opened: TestWarehouse;
  beforeAll(async () => {
    opened = await openTestWarehouse();
  });
  afterAll(() => opened.close());
  beforeEach(async () => {
    for (const table of ['cost', 'self_serve', 'metric_archivals', 'request_transitions']) {
      await opened.warehouse.execute(`TRUNCATE TABLE ${DATABASE}.${table}`);
    }
    await awayFromMidnight();
  });

  async function store(
    table: Family['table'],
    ago: number,
    rows: readonly Row[],
    other: Partial<StoredKey> = {},
  ): Promise<void> {
    const key: StoredKey = {
      account: 'acme',
      date: daysAgo(ago),
      channel: 'radio',
      third: 'Spring',
      version: 1n,
      requestId: REQUEST,
      uploadedAt: MARCH_FIRST,
      rows,
      ...other,
    };
    await opened.warehouse.insert(table, storageBlock(table, [key]));
  }

  async function archive(name: string, isArchived: boolean, version: number): Promise<void> {
    await opened.warehouse.execute(
      `INSERT INTO ${DATABASE}.metric_archivals
       VALUES ('acme', '${name}', ${String(isArchived)}, now(), ${version})`,
    );
  }

  function rowsOf(view: string, columns = '*'): Promise<Record<string, unknown>[]> {
    return opened.warehouse.query(`SELECT ${columns} FROM ${DATABASE}.${view} ORDER BY ALL`);
  }

  async function merge(table: Family['table']): Promise<void> {
    await opened.warehouse.execute(`OPTIMIZE TABLE ${DATABASE}.${table} FINAL`);
  }

  async function planOf(view: string, how: string, where = "account = 'acme'"): Promise<string> {
    const plan = await opened.warehouse.query<{ explain: string }>(
      `EXPLAIN ${how} SELECT * FROM ${DATABASE}.${view} WHERE ${where}`,
    );
    return plan.map(({ explain }) => explain.replace(/[│├└─]/g, ' ')).join('\n');
  }

  const requests = new Map<string, string>();

  /** Writes a transition of the request that the test gives this name. */
  async function happened(name: string, transition: Partial<Transition>): Promise<void> {
    if (!requests.has(name)) requests.set(name, uuidv7());
    await new SqlRequestStore(opened.warehouse, DATABASE).writeTransitions([
      {
        requestId: requests.get(name)!,
        account: 'acme',
        family: 'cost',
        status: 'uploaded',
        prevStatus: null,
        reason: null,
        createdAt: '2026-03-01T23:59:59',
        updatedAt: timestampOf(MARCH_FIRST * 1000 + 2 * DAY_MS),
        version: '7',
        sentMax: '7',
        ...transition,
      },
    ]);
  }

  // All that a reader may set and that changes what a query means.
  test.each([
    'aggregate_functions_null_for_empty = 1',
    'final = 1',
    'group_by_use_nulls = 1',
    'join_use_nulls = 1',
    'prefer_column_name_to_alias = 1',
    'transform_null_in = 1',
    "union_default_mode = 'DISTINCT'",
    "session_timezone = 'Pacific/Kiritimati'",
  ])('no view changes with %s', async (setting) => {
    await store('cost', 5, [LIVE, LIVE, ZEROS]);
    await store('cost', 3, [LIVE], { channel: 'Radio' });
    await store('self_serve', 3, [LIVE]);
    await store('self_serve', 2, [LIVE], { third: 'kept' });
    await archive('Spring', true, 1);
    await happened('good', { status: 'succeeded' });
    await happened('bad', { status: 'failed', reason: '{"date":["row 9: x"]}' });
    const views = await opened.warehouse.query<{ name: string }>(
      `SELECT name FROM system.tables WHERE database = '${DATABASE}' AND engine = 'View'`,
    );
    expect(views).toHaveLength(11);
    for (const { name } of views) {
      const plain = await rowsOf(name);
      expect(plain).not.toEqual([]);
      const query = `SELECT * FROM ${DATABASE}.${name} ORDER BY ALL SETTINGS ${setting}`;
      expect([name, await opened.warehouse.query(query)]).toEqual([name, plain]);
    }
  });

  describe('data_freshness', () => {
    test('has the first and the last day, the last upload and the days missing since', async () => {
      await store('cost', 5, [LIVE]);
      await store('cost', 3, [LIVE], { uploadedAt: MARCH_FIRST + 60 });
      await store('cost', 0, [LIVE], { third: 'Autumn' });
      expect(await rowsOf('data_freshness')).toEqual([
        {
          account: 'acme',
          family: 'cost',
          channel: 'radio',
          first_date: daysAgo(5),
          last_date: daysAgo(0),
          last_upload: '2026-03-01 00:01:00',
          missing_days: [daysAgo(4), daysAgo(2), daysAgo(1)],
        },
      ]);
    });

    test('names missing days of the last 90, however old the first day is', async () => {
      await store('cost', 200, [LIVE]);
      await store('cost', 90, [LIVE]);
      await store('cost', 1, [LIVE]);
      await store('self_serve', 200, [LIVE]);
      await store('self_serve', 0, [LIVE], { channel: 'tv' });
      expect(await rowsOf('data_freshness', 'family, channel, missing_days')).toEqual([
        { family: 'cost', channel: 'radio', missing_days: daysFrom(89, 2) },
        { family: 'self-serve', channel: 'radio', missing_days: daysFrom(90, 1) },
        { family: 'self-serve', channel: 'tv', missing_days: [] },
      ]);
    });

    test('counts neither deleted nor replaced rows of cost, and zeros of self-serve', async () => {
      await store('cost', 4, [LIVE]);
      await store('cost', 2, [LIVE]);
      await store('cost', 2, [ZEROS, ZEROS], { version: 2n, uploadedAt: MARCH_FIRST + 60 });
      await store('cost', 1, [ZEROS], { channel: 'deleted' });
      await store('self_serve', 1, [{ event_value: 0 }]);
      await store('self_serve', 1, [{ event_value: 0 }], {
        version: 2n,
        uploadedAt: MARCH_FIRST - 60,
      });
      for (const when of ['before a merge', 'after it']) {
        if (when === 'after it') {
          await merge('cost');
          await merge('self_serve');
        }
        const columns = 'family, channel, last_date, last_upload, length(missing_days) AS missing';
        expect(await rowsOf('data_freshness', columns)).toEqual([
          {
            family: 'cost',
            channel: 'radio',
            last_date: daysAgo(4),
            last_upload: '2026-03-01 00:00:00',
            missing: '3',
          },
          {
            family: 'self-serve',
            channel: 'radio',
            last_date: daysAgo(1),
            last_upload: '2026-02-28 23:59:00',
            missing: '0',
          },
        ]);
      }
    });

    test('leaves out archived metrics, until they are restored', async () => {
      await store('self_serve', 3, [LIVE], { third: 'Visits' });
      await store('self_serve', 1, [LIVE], { third: 'Old', uploadedAt: MARCH_FIRST + 60 });
      await store('self_serve', 1, [LIVE], { third: 'Old', channel: 'tv' });
      await store('self_serve', 1, [LIVE], { third: 'Old', account: 'other' });
      await archive('Old', true, 1);
      const columns = 'account, channel, last_date, last_upload, missing_days';
      const tv = { account: 'acme', channel: 'tv', last_date: daysAgo(1), missing_days: [] };
      const other = { ...tv, account: 'other', channel: 'radio' };
      const radio = { account: 'acme', channel: 'radio' };
      const [at, later] = ['2026-03-01 00:00:00', '2026-03-01 00:01:00'];
      expect(await rowsOf('data_freshness', columns)).toEqual([
        { ...radio, last_date: daysAgo(3), last_upload: at, missing_days: daysFrom(2, 1) },
        { ...other, last_upload: at },
      ]);
      await archive('Old', false, 2);
      expect(await rowsOf('data_freshness', columns)).toEqual([
        { ...radio, last_date: daysAgo(1), last_upload: later, missing_days: [daysAgo(2)] },
        { ...tv, last_upload: at },
        { ...other, last_upload: at },
      ]);
    });

    test('is one row for each account and spelling', async () => {
      await store('cost', 2, [LIVE]);
      await store('cost', 1, [LIVE], { account: 'other' });
      await store('cost', 0, [LIVE], { channel: 'Radio' });
      expect(await rowsOf('data_freshness', 'account, channel, first_date')).toEqual([
        { account: 'acme', channel: 'Radio', first_date: daysAgo(0) },
        { account: 'acme', channel: 'radio', first_date: daysAgo(2) },
        { account: 'other', channel: 'radio', first_date: daysAgo(1) },
      ]);
    });
  });

  describe('spelling_variants', () => {
    test('has each spelling of both families with its rows and its last day', async () => {
      const cost = ['iOS', 'i OS'].map((os_name) => ({ ...LIVE, os_name }));
      await store('cost', 2, cost, { channel: 'Radio', third: 'Spring sale' });
      const event = { event_value: 1, os_name: 'ios', campaign: 'spring  Sale' };
      await store('self_serve', 1, [event]);
      await store('self_serve', 3, [event, { event_value: 1, os_name: 'Android' }]);
      const campaign = { account: 'acme', column: 'campaign', plain_form: 'springsale' };
      const channel = { account: 'acme', column: 'channel', plain_form: 'radio' };
      const system = { account: 'acme', column: 'os_name', plain_form: 'ios' };
      expect(await rowsOf('spelling_variants')).toEqual([
        { ...campaign, value: 'Spring sale', rows: '2', last_date: daysAgo(2) },
        { ...campaign, value: 'spring  Sale', rows: '2', last_date: daysAgo(1) },
        { ...channel, value: 'Radio', rows: '2', last_date: daysAgo(2) },
        { ...channel, value: 'radio', rows: '3', last_date: daysAgo(1) },
        { ...system, value: 'i OS', rows: '1', last_date: daysAgo(2) },
        { ...system, value: 'iOS', rows: '1', last_date: daysAgo(2) },
        { ...system, value: 'ios', rows: '2', last_date: daysAgo(1) },
      ]);
    });

    test('compares letters and spaces of every script', async () => {
      await store('cost', 1, [LIVE], { third: 'GRÖSSE\u00a0ÄÉ' });
      await store('cost', 1, [LIVE], { third: 'grösse\u3000äé' });
      await store('cost', 1, [LIVE], { third: 'größe äé' });
      expect(await rowsOf('spelling_variants', 'value, plain_form')).toEqual([
        { value: 'GRÖSSE\u00a0ÄÉ', plain_form: 'grösseäé' },
        { value: 'grösse\u3000äé', plain_form: 'grösseäé' },
      ]);
    });

    test('takes for white space what a preview does', async () => {
      const signs = Array.from({ length: 0x1_0000 }, (_, code) => String.fromCharCode(code));
      const spaces = signs.filter((sign) => plainForm(sign) === '');
      expect(spaces).toEqual(expect.arrayContaining([' ', '\v', '\u3000', '\ufeff']));
      for (const sign of spaces) await store('cost', 1, [LIVE], { third: `a${sign}b` });
      expect(await rowsOf('spelling_variants', 'plain_form')).toEqual(
        spaces.map(() => ({ plain_form: 'ab' })),
      );
    });

    test('compares neither the width of characters nor whether they are composed', async () => {
      for (const third of ['Cafe', 'Ｃafe', 'caf\u00e9', 'cafe\u0301']) {
        await store('cost', 1, [LIVE], { third });
      }
      expect(await rowsOf('spelling_variants')).toEqual([]);
    });

    test('looks 90 days back, and at one account at a time', async () => {
      await store('cost', 91, [LIVE], { channel: 'Radio' });
      await store('cost', 0, [LIVE]);
      await store('cost', 0, [LIVE], { account: 'other', channel: 'RADIO' });
      expect(await rowsOf('spelling_variants')).toEqual([]);
      await store('cost', 90, [LIVE], { channel: 'Radio' });
      expect(await rowsOf('spelling_variants', 'account, value, rows')).toEqual([
        { account: 'acme', value: 'Radio', rows: '1' },
        { account: 'acme', value: 'radio', rows: '1' },
      ]);
    });

    test('counts rows of archived metrics', async () => {
      await store('self_serve', 1, [LIVE], { third: 'Old' });
      await store('cost', 1, [LIVE], { channel: 'Radio' });
      await archive('Old', true, 1);
      expect(await rowsOf('spelling_variants', 'value, rows')).toEqual([
        { value: 'Radio', rows: '1' },
        { value: 'radio', rows: '1' },
      ]);
    });

    test('counts neither deleted nor replaced rows', async () => {
      await store('cost', 1, [{ ...LIVE, os_name: 'iOS' }]);
      await store('cost', 1, [ZEROS], { channel: 'Radio' });
      await store('cost', 2, [{ ...LIVE, os_name: 'ios' }]);
      await store('cost', 2, [{ ...LIVE, os_name: 'iOS' }], { version: 2n });
      await store('self_serve', 2, [{ event_value: 1, os_name: 'ios' }]);
      await store('self_serve', 2, [{ event_value: 1, os_name: 'Android' }], { version: 2n });
      for (const when of ['before a merge', 'after it']) {
        if (when === 'after it') {
          await merge('cost');
          await merge('self_serve');
        }
        expect(await rowsOf('spelling_variants')).toEqual([]);
      }
    });
  });

  describe('upload_activity', () => {
    test('has the uploads of a day by state, what failed in them, rows and bytes', async () => {
      const rows = { validated: 3, stored: 3, readBack: 3 };
      await happened('good', { bytes: 100 });
      await happened('good', { bytes: 100, status: 'succeeded', rows });
      const reason = { date: ['row 2: x', 'row 3: x'], Kosten: ['row 1: y'], file: ['z'] };
      await happened('bad', { bytes: 50, status: 'failed', reason: JSON.stringify(reason) });
      await happened('worse', { bytes: 5, status: 'failed', reason: '{"date":["row 9: x"]}' });
      const next = { family: 'self-serve', createdAt: '2026-03-02T00:00:00', bytes: 7 } as const;
      await happened('waiting', { ...next, status: 'validated', rows: { ...rows, stored: 0 } });
      await happened('new', next);
      const none = { uploaded: '0', validated: '0', ingested: '0', succeeded: '0', failed: '0' };
      const expected = [
        {
          account: 'acme',
          family: 'cost',
          day: '2026-03-01',
          uploads: '3',
          ...none,
          succeeded: '1',
          failed: '2',
          failed_columns: { Kosten: '1', date: '2', file: '1' },
          rows: '3',
          bytes: '155',
        },
        {
          account: 'acme',
          family: 'self-serve',
          day: '2026-03-02',
          uploads: '2',
          ...none,
          uploaded: '1',
          validated: '1',
          failed_columns: {},
          rows: '0',
          bytes: '14',
        },
      ];
      expect(await rowsOf('upload_activity')).toEqual(expected);
      // A replay publishes it again, later. The first one stays, whatever the later one has.
      const again = timestampOf(MARCH_FIRST * 1000 + 9 * DAY_MS);
      await happened('good', { bytes: 999, status: 'succeeded', rows, updatedAt: again });
      expect(await rowsOf('upload_activity')).toEqual(expected);
    });

    test('reads only the months of the days that are asked for', async () => {
      await happened('march', {});
      await happened('april', { createdAt: '2026-04-02T00:00:00' });
      const partsRead = async (where: string): Promise<string[]> => {
        const plan = await planOf('upload_activity', 'indexes = 1', where);
        return [...plan.matchAll(/Parts: (\d+\/\d+)/g)].map(([, parts]) => parts!);
      };
      expect(await partsRead("day >= toDate('2026-04-01')")).toContain('1/2');
      expect(await partsRead("account = 'acme'")).not.toContain('1/2');
    });
  });

  test.each([
    ['data_freshness', /Keys:\s+account\s/g],
    ['spelling_variants', /Keys:\s+account\s+date\s/g],
  ])('%s reads only the account that is asked for, of both tables', async (view, keys) => {
    await store('cost', 1, [LIVE]);
    await store('self_serve', 1, [LIVE]);
    expect((await planOf(view, 'indexes = 1')).match(keys)).toHaveLength(2);
  });

  test('each reads only the columns that it needs', async () => {
    expect(await planOf('data_freshness', 'header = 1')).not.toContain('combinations');
    const spelling = await planOf('spelling_variants', 'header = 1');
    expect(spelling).toContain('combinations.os_name');
    expect(spelling).not.toContain('texts');
  });
});
