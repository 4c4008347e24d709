import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { pino } from 'pino';
import { v7 as uuidv7 } from 'uuid';

import { COST, type Family, keyColumns, SELF_SERVE } from '../../../src/domain/families/index.js';
import { Arena } from '../../../src/domain/memory.js';
import { checkFile } from '../../../src/preview/check-file.js';
import type { Preview } from '../../../src/preview/answer.js';
import { Previewer } from '../../../src/preview/previewer.js';
import { SqlRowStore } from '../../../src/warehouse/rows/sql-row-store.js';
import { migrate } from '../../../src/warehouse/schema/migrate.js';
import type { Warehouse } from '../../../src/warehouse/warehouse.js';
import { openWarehouseOf, WAREHOUSES, type OpenWarehouse } from '../../support/chdb/warehouses.js';
import { FACTS, verdictOn } from '../../support/files/files.js';
import { csvOf, type CsvRow } from '../../support/model/warehouse-model.js';
import { runs } from '../../support/model/property.js';

/** Amounts that doubles add exactly, in any order. */
const amount = fc.constantFrom('0', '1', '-1', '2.5', '1024', '-0');
const count = fc.constantFrom('0', '1', '7');
const day = fc.constantFrom('2026-03-01', '2026-03-02');

const costRow: fc.Arbitrary<CsvRow> = fc.record({
  date: day,
  channel: fc.constantFrom('Search', 'Größe'),
  currency: fc.constantFrom('EUR', 'USD'),
  campaign: fc.constantFrom('A', 'a, "b"'),
  impressions: count,
  clicks: count,
  cost: amount,
  ad_group: fc.constantFrom('x', 'y'),
  term: fc.constantFrom('t', 'u'),
});

const selfServeRow: fc.Arbitrary<CsvRow> = fc.record({
  date: day,
  channel: fc.constantFrom('Search', 'Größe'),
  event_category: fc.constantFrom('A', 'B'),
  event_value: amount,
  campaign: fc.constantFrom('', 'x'),
  sub_sub_publisher_3: fc.constantFrom('', 'p'),
  is_first_event_per_device_id: fc.constantFrom('', 'true', 'false'),
});

interface File {
  readonly family: Family;
  readonly rows: readonly CsvRow[];
}

const file: fc.Arbitrary<File> = fc.oneof(
  fc.array(costRow, { minLength: 1, maxLength: 8 }).map((rows) => ({ family: COST, rows })),
  fc
    .tuple(fc.array(selfServeRow, { minLength: 1, maxLength: 8 }), fc.boolean())
    .map(([rows, hasRest]) => ({
      family: SELF_SERVE,
      // Some files lack the columns at the end.
      rows: hasRest ? rows : rows.map((row) => without(row, ['sub_sub_publisher_3', 'campaign'])),
    })),
);

function without(row: CsvRow, names: readonly string[]): CsvRow {
  return Object.fromEntries(Object.entries(row).filter(([name]) => !names.includes(name)));
}

/** Stored rows of a key, and the upload that stands there. */
interface StoredKey {
  readonly rows: readonly CsvRow[];
  readonly requestId: string;
}

/** What the preview has to say, in the simplest form. */
class Model {
  private readonly stored = new Map<string, StoredKey>();

  apply({ family, rows }: File, requestId: string): void {
    for (const [key, own] of byKey(family, rows)) {
      this.stored.set(`${family.name} ${key}`, { rows: own, requestId });
    }
  }

  expected({ family, rows }: File): unknown {
    const keys = [...byKey(family, rows)].map(([key, own]) => {
      const stored = this.stored.get(`${family.name} ${key}`);
      return { key: JSON.parse(key) as object, own, stored };
    });
    const replaced = keys.filter(
      ({ own, stored }) => stored !== undefined && contentOf(own) !== contentOf(stored.rows),
    );
    const before = keys.flatMap(({ stored }) => stored?.rows ?? []);
    const old = keys.filter(({ stored }) => stored !== undefined).length;
    return {
      rows: rows.length,
      keys: {
        total: keys.length,
        new: keys.length - old,
        replaced: replaced.length,
        unchanged: old - replaced.length,
      },
      before: sumsOf(family, before),
      after: sumsOf(family, rows),
      replaced: replaced
        .map(({ key, own, stored }) => ({
          ...key,
          requestId: stored!.requestId,
          before: sumsOf(family, stored!.rows),
          after: sumsOf(family, own),
        }))
        .sort(byText),
    };
  }
}

function byKey(family: Family, rows: readonly CsvRow[]): Map<string, CsvRow[]> {
  const keys = new Map<string, CsvRow[]>();
  for (const row of rows) {
    const key = JSON.stringify(
      Object.fromEntries(keyColumns(family).map(({ name }) => [name, row[name]])),
    );
    keys.set(key, [...(keys.get(key) ?? []), row]);
  }
  return keys;
}

/** The rows without their order, blank values and the sign of zero. */
function contentOf(rows: readonly CsvRow[]): string {
  return rows
    .map((row) => {
      const values = Object.entries(row).filter(([, value]) => value !== '');
      const plain = values.map(([name, value]) => [name, value.replace(/^-0$/, '0')]);
      return JSON.stringify(plain.sort());
    })
    .sort()
    .join();
}

/** By currency or metric the sums. Those of which all are zero are left out, here and there. */
function sumsOf(family: Family, rows: readonly CsvRow[]): object[] {
  const [name, measures] =
    family === COST
      ? (['currency', ['impressions', 'clicks', 'cost']] as const)
      : (['event_category', ['event_value']] as const);
  const sums = new Map<string, number[]>();
  for (const row of rows) {
    const sum = sums.get(row[name]!) ?? measures.map(() => 0);
    sums.set(
      row[name]!,
      measures.map((measure, index) => sum[index]! + Number(row[measure])),
    );
  }
  return [...sums]
    .map(([of, sum]) => ({ of, sum }))
    .filter(({ sum }) => sum.some((value) => value !== 0))
    .sort(byText);
}

/** The same of a preview. */
function said(family: Family, preview: Preview): unknown {
  const name = family === COST ? 'currency' : 'event_category';
  const measures = family === COST ? ['impressions', 'clicks', 'cost'] : ['event_value'];
  const shortOf = (of: unknown, values: Readonly<Record<string, unknown>>): object => ({
    of,
    sum: measures.map((measure) => values[measure]),
  });
  const isShown = (each: object): boolean => {
    const { sum } = each as { sum: number[] };
    return sum.some((value) => value !== 0);
  };
  const { rows, keys, totals, replaced } = preview;
  const side = (which: 'before' | 'after'): object[] =>
    totals!.listed
      .map((total) => shortOf(total[name], total[which]))
      .filter(isShown)
      .sort(byText);
  return {
    rows,
    keys,
    before: side('before'),
    after: side('after'),
    replaced: replaced
      .map((found) => {
        const key = found as unknown as Readonly<Record<string, string>>;
        const short = (all: readonly Readonly<Record<string, unknown>>[]): object[] =>
          all
            .map((each) => shortOf(each[name] ?? key[name], each))
            .filter(isShown)
            .sort(byText);
        return {
          ...Object.fromEntries(
            keyColumns(family).map((column) => [column.name, key[column.name]]),
          ),
          requestId: found.requestId,
          before: short(found.before),
          after: short(found.after),
        };
      })
      .sort(byText),
  };
}

function byText(a: object, b: object): number {
  return JSON.stringify(a) < JSON.stringify(b) ? -1 : 1;
}

describe.each(WAREHOUSES)('the preview of a file, %s', (kind) => {
  let opened: OpenWarehouse;
  let warehouse: Warehouse;
  let store: SqlRowStore;
  let previewer: Previewer;
  let accounts = 0;
  let version = 0n;

  beforeAll(async () => {
    opened = await openWarehouseOf(kind);
    ({ warehouse } = opened);
    await migrate(warehouse, 'custom_data');
    store = new SqlRowStore(warehouse, 'custom_data');
    const check = (each: Parameters<typeof checkFile>[0]): Promise<ReturnType<typeof checkFile>> =>
      Promise.resolve(checkFile(each, new Arena()));
    const logger = pino({ level: 'silent' });
    const thresholds = { unusualFactor: 10, oldDays: 731 };
    previewer = new Previewer(check, { warehouse, database: 'custom_data', logger, ...thresholds });
  });
  afterAll(() => opened.close());

  function preview(account: string, { family, rows }: File): Promise<Preview> {
    const parts = [Buffer.from(csvOf(family, rows))];
    const task = { family: family.name, account, parts, facts: FACTS };
    return previewer.preview(task, new AbortController().signal);
  }

  async function upload(account: string, { family, rows }: File): Promise<string> {
    const verdict = verdictOn(family.name, csvOf(family, rows));
    if (!verdict.valid) throw new Error(verdict.reason);
    const requestId = uuidv7();
    version++;
    const uploadedAt = 1_773_000_000;
    await store.writeBatch(family, [
      { requestId, account, version, uploadedAt, prepared: verdict.upload },
    ]);
    return requestId;
  }

  test('says what an upload would do, after any history', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(file, { maxLength: 5 }), file, async (history, next) => {
        const account = `account ${accounts++}`;
        const model = new Model();
        for (const each of history) model.apply(each, await upload(account, each));
        expect(said(next.family, await preview(account, next))).toEqual(model.expected(next));
        // The same rows again change nothing, in whatever order they are.
        model.apply(next, await upload(account, next));
        const again = { ...next, rows: next.rows.toReversed() };
        expect(said(next.family, await preview(account, again))).toEqual(model.expected(again));
        expect(await preview('another account', next)).toMatchObject({
          keys: { replaced: 0, unchanged: 0 },
        });
      }),
      runs(40),
    );
  });

  test('takes rows in another order for the same, also where doubles add to other sums', async () => {
    const account = `account ${accounts++}`;
    const rows = ['0.1', '0.2', '0.3'].map((cost) => ({
      ...{ date: '2026-03-01', channel: 'Search', currency: 'EUR', campaign: 'A' },
      ...{ impressions: '1', clicks: '1', cost },
    }));
    await upload(account, { family: COST, rows });
    const { keys } = await preview(account, { family: COST, rows: rows.toReversed() });
    expect(keys).toEqual({ total: 1, new: 0, replaced: 0, unchanged: 1 });
  });

  test('shows what is zero before and after', async () => {
    const account = `account ${accounts++}`;
    const row = { date: '2026-03-01', channel: 'Search', event_category: 'A', event_value: '0' };
    await upload(account, { family: SELF_SERVE, rows: [row] });
    const { totals } = await preview(account, { family: SELF_SERVE, rows: [row, row] });
    const zero = { event_value: 0 };
    expect(totals).toEqual({
      listed: [{ event_category: 'A', before: zero, after: zero }],
      more: 0,
    });
  });

  test('lists the 100 largest changes of more than 10,000 keys, and says who stands there', async () => {
    const account = `account ${accounts++}`;
    const rows = (value: (index: number) => number): CsvRow[] =>
      Array.from({ length: 12_345 }, (_, index) => ({
        date: '2026-03-01',
        channel: 'Search',
        event_category: `M${String(index).padStart(5, '0')}`,
        event_value: String(value(index)),
      }));
    const requestId = await upload(account, { family: SELF_SERVE, rows: rows(() => 1) });
    const { keys, totals, replaced } = await preview(account, {
      family: SELF_SERVE,
      rows: rows((index) => (index % 100 === 0 ? -index : 1)),
    });
    expect(keys).toEqual({ total: 12_345, new: 0, replaced: 124, unchanged: 12_221 });
    expect(totals!.listed).toHaveLength(50);
    expect(totals!.more).toBe(12_345 - 50);
    expect(totals!.listed[0]).toEqual({
      event_category: 'M12300',
      before: { event_value: 1 },
      after: { event_value: -12_300 },
    });
    expect(replaced).toHaveLength(100);
    expect(replaced[0]).toEqual({
      date: '2026-03-01',
      channel: 'Search',
      event_category: 'M12300',
      before: [{ event_value: 1 }],
      after: [{ event_value: -12_300 }],
      requestId,
      uploadedAt: '2026-03-08T20:00:00',
    });
    expect(replaced.at(-1)).toMatchObject({ event_category: 'M02400' });
  });

  /** The warnings of a preview, by code: column, rows and message. */
  async function warnings(account: string, next: File): Promise<Record<string, unknown>> {
    const { warnings: found } = await preview(account, next);
    return Object.fromEntries(
      found.map(({ code, column, rows, message }) => [code, [column, rows, message]]),
    );
  }

  const row = (values: CsvRow = {}): CsvRow => ({
    ...{ date: '2026-03-01', channel: 'Search', currency: 'EUR', campaign: 'A', os_name: 'iOS' },
    ...{ impressions: '1', clicks: '1', cost: '1', ...values },
  });

  test('warns of values that are spelt in another way than the stored ones, and of new channels', async () => {
    const account = `account ${accounts++}`;
    await upload(account, { family: COST, rows: [row()] });
    const rows = [
      row({ campaign: 'B' }),
      row({ channel: 'search', campaign: 'C' }),
      row({ os_name: 'i OS', campaign: 'D' }),
      row({ channel: 'Social', os_name: 'Android', campaign: 'E' }),
    ];
    const found = await preview(account, { family: COST, rows });
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

  test('warns of other currencies, and of a file that changes nothing', async () => {
    const account = `account ${accounts++}`;
    const rows = [row(), row({ campaign: 'B' }), row({ campaign: 'C', cost: '0' })];
    await upload(account, { family: COST, rows });
    const next = [row({ currency: 'USD' }), row({ campaign: 'B' }), row({ campaign: 'N' })];
    expect(await warnings(account, { family: COST, rows: next })).toEqual({
      'currency-changes': ['currency', [2], '1 key gets another currency than it has now'],
    });
    expect(await warnings(account, { family: COST, rows: rows.toReversed() })).toEqual({
      'no-change': ['file', [], 'every row of the file is stored already: it changes nothing'],
    });
  });

  test('warns of archived metrics, and still says what is stored', async () => {
    const account = `account ${accounts++}`;
    const metric = (event_category: string, event_value = '1'): CsvRow => ({
      ...{ date: '2026-03-01', channel: 'Search', event_category, event_value },
    });
    await upload(account, { family: SELF_SERVE, rows: [metric('Old'), metric('New')] });
    await warehouse.execute(
      `INSERT INTO custom_data.metric_archivals VALUES ('${account}', 'Old', true, now(), 1)`,
    );
    const next = { family: SELF_SERVE, rows: [metric('New'), metric('Old', '5')] };
    expect(await warnings(account, next)).toEqual({
      'archived-metric': ['event_category', [3], '"Old" is archived and is not shown in reports'],
    });
    expect((await preview(account, next)).keys).toMatchObject({ replaced: 1, unchanged: 1 });
  });

  test('warns of a day whose total is far from the usual, also with what is stored of it', async () => {
    const account = `account ${accounts++}`;
    const days = Array.from({ length: 10 }, (_, index) =>
      row({ date: `2026-02-${10 + index}`, cost: '100' }),
    );
    await upload(account, { family: COST, rows: [...days, row({ campaign: 'Z', cost: '950' })] });
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
    await upload(account, of('900'));
    expect(await warnings(account, of('50'))).toEqual({});
  });

  test('counts more than 100,000 keys without comparing them', async () => {
    const rows = Array.from({ length: 100_001 }, (_, index) => ({
      date: '2026-03-01',
      channel: 'Search',
      event_category: `M${index}`,
      event_value: '1',
    }));
    expect(await preview('acme', { family: SELF_SERVE, rows })).toMatchObject({
      valid: true,
      compared: false,
      rows: 100_001,
      keys: { total: 100_001, new: null, replaced: null, unchanged: null },
      totals: null,
      replaced: [],
    });
  });
});
