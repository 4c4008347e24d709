import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

import { COST, SELF_SERVE } from '../../../../src/domain/families/index.js';
import { PreviewUnavailableError } from '../../../../src/preview/previewer.js';
import {
  type LookUpLane,
  type NativeBlock,
  type Warehouse,
  WarehouseError,
} from '../../../../src/warehouse/warehouse.js';
import { passingOn } from '../../../support/chdb/warehouse.js';
import { WAREHOUSES } from '../../../support/chdb/warehouses.js';
import type { CsvRow } from '../../../support/model/warehouse-model.js';
import type { File } from '../../../support/preview/preview-model.js';
import { Previews } from '../../../support/preview/previews.js';

/** Warnings that depend on what the account has stored. */

const row = (values: CsvRow = {}): CsvRow => ({
  ...{ date: '2026-03-01', channel: 'Search', currency: 'EUR', campaign: 'A', os_name: 'iOS' },
  ...{ impressions: '1', clicks: '1', cost: '1', ...values },
});

describe.each(WAREHOUSES)('a preview, %s', (kind) => {
  let previews: Previews;

  beforeAll(async () => {
    previews = await Previews.open(kind);
  });
  afterAll(() => previews.close());

  /** The warnings of a preview, by code: column, rows and message. */
  async function warnings(account: string, next: File): Promise<Record<string, unknown>> {
    const { warnings: found } = await previews.preview(account, next);
    return Object.fromEntries(
      found.map(({ code, column, rows, message }) => [code, [column, rows, message]]),
    );
  }

  test('warns of values that are spelt in another way than the stored ones, and of new channels', async () => {
    const account = previews.newAccount();
    await previews.upload(account, { family: COST, rows: [row()] });
    const rows = [
      row({ campaign: 'B' }),
      row({ channel: 'search', campaign: 'C' }),
      row({ os_name: 'i OS', campaign: 'D' }),
      row({ channel: 'Social', os_name: 'Android', campaign: 'E' }),
    ];
    const found = await previews.preview(account, { family: COST, rows });
    expect(found.warnings).toEqual([
      {
        code: 'similar-value',
        column: 'channel',
        rows: [2, 3, 4],
        message: '"Search", "search" differ only in case, width or white space',
      },
      {
        code: 'similar-value',
        column: 'os_name',
        rows: [2, 3, 4],
        message: '"iOS", "i OS" differ only in case, width or white space',
      },
      {
        code: 'similar-value',
        column: 'channel',
        rows: [3],
        message:
          '"search" differs from "Search", which is stored, only in case, width or white space',
      },
      {
        code: 'new-channel',
        column: 'channel',
        rows: [5],
        message: '"Social" is a channel that the account has not had before',
      },
      {
        code: 'similar-value',
        column: 'os_name',
        rows: [4],
        message: '"i OS" differs from "iOS", which is stored, only in case, width or white space',
      },
    ]);
  });

  test('warns of 20 values at most that are spelt in another way', async () => {
    const account = previews.newAccount();
    const of = (name: string): CsvRow[] =>
      Array.from({ length: 22 }, (_, at) => row({ channel: `${name} ${at}` }));
    await previews.upload(account, { family: COST, rows: of('Shop') });
    const next = { family: COST, rows: of('shop') };
    const { warnings: found } = await previews.preview(account, next);
    expect(found).toHaveLength(20);
    expect(found.at(-1)!.message).toBe(
      '"shop 19" differs from "Shop 19", which is stored, only in case, width or white space',
    );
  });

  test('knows channels and os_names that only self-serve files have had', async () => {
    const account = previews.newAccount();
    const metric = { date: '2026-03-01', channel: 'Search', event_category: 'A', event_value: '1' };
    await previews.upload(account, { family: SELF_SERVE, rows: [{ ...metric, os_name: 'iOS' }] });
    expect(await warnings(account, { family: COST, rows: [row()] })).toEqual({});
    const next = { family: COST, rows: [row({ channel: 'search', os_name: 'ios' })] };
    const { warnings: found } = await previews.preview(account, next);
    expect(found.map(({ message }) => message)).toEqual([
      '"search" differs from "Search", which is stored, only in case, width or white space',
      '"ios" differs from "iOS", which is stored, only in case, width or white space',
    ]);
    // Other accounts have not had them.
    const others = await warnings(previews.newAccount(), next);
    expect(Object.keys(others)).toEqual(['new-channel']);
  });

  test('warns of other currencies, and of a file that changes nothing', async () => {
    const account = previews.newAccount();
    const rows = [row(), row({ campaign: 'B' }), row({ campaign: 'C', cost: '0' })];
    await previews.upload(account, { family: COST, rows });
    const next = [row({ currency: 'USD' }), row({ campaign: 'B' }), row({ campaign: 'N' })];
    expect(await warnings(account, { family: COST, rows: next })).toEqual({
      'currency-changes': ['currency', [2], '1 key gets another currency than it has now'],
    });
    expect(await warnings(account, { family: COST, rows: rows.toReversed() })).toEqual({
      'no-change': ['file', [], 'every row of the file is stored already: it changes nothing'],
    });
  });

  test('warns of archived metrics, and still says what is stored', async () => {
    const account = previews.newAccount();
    const metric = (event_category: string, event_value = '1'): CsvRow => ({
      ...{ date: '2026-03-01', channel: 'Search', event_category, event_value },
    });
    await previews.upload(account, { family: SELF_SERVE, rows: [metric('Old'), metric('New')] });
    await previews.archive(account, 'Old');
    const next = { family: SELF_SERVE, rows: [metric('New'), metric('Old', '5')] };
    expect(await warnings(account, next)).toEqual({
      'archived-metric': ['event_category', [3], '"Old" is archived and is not shown in reports'],
    });
    const { keys } = await previews.preview(account, next);
    expect(keys).toMatchObject({ replaced: 1, unchanged: 1 });
  });

  test('warns of a day whose total is far from the usual, also with what is stored of it', async () => {
    const account = previews.newAccount();
    const days = Array.from({ length: 10 }, (_, index) =>
      row({ date: `2026-02-${10 + index}`, cost: '100' }),
    );
    const rows = [...days, row({ campaign: 'Z', cost: '950' })];
    await previews.upload(account, { family: COST, rows });
    const of = (cost: string): File => ({ family: COST, rows: [row({ cost })] });
    expect(await warnings(account, of('51'))).toEqual({
      'unusual-total': [
        'cost',
        [2],
        '"Search" would have 1001 EUR on 2026-03-01, where 100 is usual',
      ],
    });
    expect(await warnings(account, of('50'))).toEqual({});
    // What the file replaces does not count.
    await previews.upload(account, of('900'));
    expect(await warnings(account, of('50'))).toEqual({});
  });

  test('compares the total of a metric with that metric alone', async () => {
    const account = previews.newAccount();
    const metric = (event_category: string, event_value: string, day = 28): CsvRow => ({
      ...{ date: `2026-02-${day}`, channel: 'Search', event_category, event_value },
    });
    const days = Array.from({ length: 8 }, (_, index) => 20 + index);
    const rows = days.flatMap((day) => [metric('A', '100', day), metric('B', '100000', day)]);
    await previews.upload(account, { family: SELF_SERVE, rows });
    const of = (...next: CsvRow[]): File => ({ family: SELF_SERVE, rows: next });
    const message = '"Search" would have 1001 A on 2026-02-28, where 100 is usual';
    expect(await warnings(account, of(metric('A', '1001')))).toEqual({
      'unusual-total': ['event_value', [2], message],
    });
    expect(await warnings(account, of(metric('B', '100000'), metric('A', '1001')))).toEqual({
      'unusual-total': ['event_value', [3], message],
    });
    expect(await warnings(account, of(metric('A', '1000')))).toEqual({});
  });

  test('finds what is stored of a file whose first date is the first day that there is', async () => {
    const account = previews.newAccount();
    const dates = Array.from({ length: 8 }, (_, index) => `2026-02-${10 + index}`);
    const stored = dates.map((date) => row({ date, cost: '1000' }));
    await previews.upload(account, { family: COST, rows: stored });
    const rows = dates.map((date, at) =>
      row({ date, campaign: 'B', cost: at === 7 ? '150' : '10' }),
    );
    const first = row({ date: '1970-01-01', campaign: 'B' });
    const found = await warnings(account, { family: COST, rows: [first, ...rows] });
    expect(found['unusual-total']).toBeUndefined();
  });

  test('knows no totals of what is being erased', async () => {
    const account = previews.newAccount();
    const days = Array.from({ length: 10 }, (_, at) => row({ date: `2026-02-${10 + at}` }));
    await previews.upload(account, { family: COST, rows: days });
    previews.orderErasure(account);
    const next = row({ campaign: 'B', cost: '1000' });
    expect(Object.keys(await warnings(account, { family: COST, rows: [next] }))).toEqual([
      'new-channel',
    ]);
  });

  test('says nothing of totals that are made of more than a million keys', async () => {
    const account = previews.newAccount();
    await previews.upload(account, { family: COST, rows: [row({ cost: '1' })] });
    const total = (rows: number): Promise<void> =>
      previews.warehouse.execute(
        `INSERT INTO custom_data.cost (account, date, channel, campaign, totals)
         SELECT '${account}', toDate('2026-02-20') + number % 8, 'Search', toString(number),
           [('EUR', 1, 1, 100.0)]
         FROM numbers(${rows})`,
      );
    const next = { family: COST, rows: [row({ cost: '2' })] };
    await total(8);
    expect(await warnings(account, next)).toHaveProperty('unusual-total');
    await total(1_100_000);
    expect(await warnings(account, next)).toEqual({});
  });

  /** The warehouse, of which some look-ups fail; `failed` has them. */
  function failingAt(
    fails: (sql: string) => boolean,
    error: WarehouseError,
    failed: string[] = [],
  ): Warehouse {
    const { warehouse } = previews;
    return passingOn(warehouse, {
      lookUp<Row>(sql: string, asked: NativeBlock, lane?: LookUpLane): Promise<Row[]> {
        if (!fails(sql)) return warehouse.lookUp<Row>(sql, asked, lane);
        failed.push(sql);
        return Promise.reject(error);
      },
    });
  }
  /** Only the comparison joins, and only the question for memory needs no table. */
  const isForWarnings = (sql: string): boolean => !/JOIN \(|FROM numbers\(/.test(sql);
  const AWAY = new WarehouseError('connect ECONNREFUSED', 'retry');

  test.each([
    ['would read too much', new WarehouseError('Limit for rows exceeded', 'rejected', 158)],
    ['take too long', new WarehouseError('Timeout exceeded', 'retry', 159)],
    ['take too much memory', new WarehouseError('Memory limit exceeded', 'memory', 241)],
  ])('goes on without the warnings whose queries %s', async (_, error) => {
    const account = previews.newAccount();
    const days = Array.from({ length: 10 }, (_, index) => row({ date: `2026-02-${10 + index}` }));
    await previews.upload(account, { family: COST, rows: days });
    const next = { family: COST, rows: [row({ cost: '99' }), row({ channel: 'New', cost: '0' })] };
    const whole = await previews.preview(account, next);
    expect(whole.warnings.map(({ code }) => code).sort()).toEqual(['new-channel', 'unusual-total']);

    const failed: string[] = [];
    const previewer = previews.previewerOf(failingAt(isForWarnings, error, failed));
    const preview = await previews.preview(account, next, previewer);
    expect(preview).toEqual({ ...whole, warnings: [], asOf: preview.asOf });
    // Two columns of known values, and the day totals.
    expect(failed).toHaveLength(3);
    // Known values that cannot be had are not asked for again so soon.
    await previews.preview(account, next, previewer);
    expect(failed).toHaveLength(4);
  });

  test('knows the channels of an account whose os_names cannot be had in time', async () => {
    const account = previews.newAccount();
    await previews.upload(account, { family: COST, rows: [row()] });
    const isForNames = (sql: string): boolean => sql.includes('combinations.os_name');
    const slow = failingAt(isForNames, new WarehouseError('Timeout exceeded', 'retry', 159));
    const rows = [row(), row({ channel: 'New', os_name: 'i OS' })];
    const previewer = previews.previewerOf(slow);
    const preview = await previews.preview(account, { family: COST, rows }, previewer);
    const ofAccount = preview.warnings.filter(({ column }) => column === 'channel');
    expect(ofAccount.map(({ code }) => code)).toEqual(['new-channel']);
  });

  test('says nothing of channels where the account has more than 10,000', async () => {
    const account = previews.newAccount();
    const upload = (from: number, to: number): Promise<string> => {
      const channels = Array.from({ length: to - from }, (_, at) => `Channel ${from + at}`);
      const rows = channels.map((channel) => row({ channel }));
      return previews.upload(account, { family: COST, rows });
    };
    const next = { family: COST, rows: [row({ channel: 'channel 1' }), row({ channel: 'New' })] };
    const codes = async (): Promise<string[]> => {
      // The known values of a previewer are ten minutes old.
      const previewer = previews.previewerOf(previews.warehouse);
      const { warnings: found } = await previews.preview(account, next, previewer);
      return found.map(({ code }) => code).filter((code) => /similar|new/.test(code));
    };
    await upload(0, 10_000);
    expect(await codes()).toEqual(['similar-value', 'new-channel']);
    await upload(10_000, 10_001);
    expect(await codes()).toEqual([]);
  });

  test('goes on without the archived metrics where they cannot be asked for in time', async () => {
    const account = previews.newAccount();
    const metric = { date: '2026-03-01', channel: 'Search', event_category: 'A', event_value: '1' };
    await previews.upload(account, { family: SELF_SERVE, rows: [metric] });
    await previews.archive(account, 'A');
    const slow = failingAt(
      (sql) => sql.includes('metric_archivals'),
      new WarehouseError('Timeout exceeded', 'retry', 159),
    );
    const file = { family: SELF_SERVE, rows: [{ ...metric, event_value: '2' }] };
    const preview = await previews.preview(account, file, previews.previewerOf(slow));
    expect(preview).toMatchObject({ keys: { replaced: 1 }, warnings: [] });
  });

  test('is unavailable while the warehouse has no memory for any query', async () => {
    const full = failingAt(() => true, new WarehouseError('Memory limit', 'memory', 241));
    const file = { family: COST, rows: [row()] };
    const previewing = previews.preview(previews.newAccount(), file, previews.previewerOf(full));
    await expect(previewing).rejects.toThrow(PreviewUnavailableError);
  });

  test.each([
    ['the comparison', (sql: string) => !isForWarnings(sql)],
    ['warnings', isForWarnings],
  ])('is unavailable while the warehouse is away for %s', async (_, fails) => {
    const away = previews.previewerOf(failingAt(fails, AWAY));
    const file = { family: COST, rows: [row()] };
    const previewing = previews.preview(previews.newAccount(), file, away);
    await expect(previewing).rejects.toThrow(PreviewUnavailableError);
  });

  test('of a file with mistakes asks the warehouse nothing', async () => {
    const away = previews.previewerOf(failingAt(() => true, AWAY));
    const file = { family: COST, rows: [row({ currency: 'eur' })] };
    const preview = await previews.preview(previews.newAccount(), file, away);
    expect(preview).toMatchObject({ valid: false, reason: { currency: [expect.any(String)] } });
  });

  test('that is given up before it begins asks nothing, and tells why', async () => {
    const gone = AbortSignal.abort(new Error('the client has gone'));
    const away = previews.previewerOf(failingAt(() => true, AWAY));
    const file = { family: COST, rows: [row()] };
    const previewing = previews.preview(previews.newAccount(), file, away, gone);
    await expect(previewing).rejects.toThrow('the client has gone');
  });
});
