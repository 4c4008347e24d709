import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';

import { COST, SELF_SERVE } from '../../../src/domain/families/index.js';
import type { Preview } from '../../../src/preview/answer.js';
import { WAREHOUSES } from '../../support/chdb/warehouses.js';
import type { CsvRow } from '../../support/model/warehouse-model.js';
import { runs } from '../../support/model/property.js';
import {
  anyFile,
  anyStep,
  type File,
  Model,
  said,
  sumsColumns,
} from '../../support/preview/preview-model.js';
import { Previews, sumsThatShow } from '../../support/preview/previews.js';

/**
 * Both warehouses are the same engine, and cases are the same in every run: behind the server the
 * first ones show that statements and answers pass the protocol.
 */
const RUNS = { chdb: 24, clickhouse: 5 };

describe.each(WAREHOUSES)('the preview of a file, %s', (kind) => {
  let previews: Previews;

  beforeAll(async () => {
    previews = await Previews.open(kind);
  });
  afterAll(() => previews.close());

  /** The sums of an account after the upload, by what the preview has said. */
  function sumsAfter(
    before: ReadonlyMap<string, readonly number[]>,
    { family }: File,
    { totals }: Preview,
  ): Map<string, readonly number[]> {
    const { name, measures } = sumsColumns(family);
    const changed = totals!.listed.map((total): [string, readonly number[]] => {
      const was = before.get(total[name]!) ?? measures.map(() => 0);
      const now = measures.map((measure, at) => {
        return was[at]! - total.before[measure]! + total.after[measure]!;
      });
      return [total[name]!, now];
    });
    return sumsThatShow(new Map([...before, ...changed]));
  }

  test('says what the upload then does, after any history', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyStep, { maxLength: 6 }), anyFile, async (history, next) => {
        const account = previews.newAccount();
        const model = new Model();
        for (const step of history) {
          if ('family' in step) {
            model.apply(step, await previews.upload(account, step));
          } else {
            await previews.archive(account, step.metric, step.isArchived);
            model.archive(step.metric, step.isArchived);
          }
        }
        const before = await previews.sums(account, next.family);
        const preview = await previews.preview(account, next);
        expect(said(next.family, preview)).toEqual(model.expected(next));
        model.apply(next, await previews.upload(account, next));
        expect(await previews.sums(account, next.family)).toEqual(sumsAfter(before, next, preview));
        // The same rows again change nothing, in whatever order they are.
        const again = { ...next, rows: next.rows.toReversed() };
        expect(said(next.family, await previews.preview(account, again))).toEqual(
          model.expected(again),
        );
        // An account that has nothing is told nothing of what another one has.
        const other = await previews.preview('another account', next);
        expect(said(next.family, other)).toEqual(new Model().expected(next));
        const codes = other.warnings.map(({ code }) => code);
        expect(codes).toContain('new-channel');
      }),
      runs(RUNS[kind]),
    );
  });

  test('takes rows in another order for the same, also where doubles add to other sums', async () => {
    const account = previews.newAccount();
    const rows = ['0.1', '0.2', '0.3'].map((cost) => ({
      ...{ date: '2026-03-01', channel: 'Search', currency: 'EUR', campaign: 'A' },
      ...{ impressions: '1', clicks: '1', cost },
    }));
    await previews.upload(account, { family: COST, rows });
    const { keys } = await previews.preview(account, { family: COST, rows: rows.toReversed() });
    expect(keys).toEqual({ total: 1, new: 0, replaced: 0, unchanged: 1 });
  });

  test('shows what is zero before and after', async () => {
    const account = previews.newAccount();
    const row = { date: '2026-03-01', channel: 'Search', event_category: 'A', event_value: '0' };
    await previews.upload(account, { family: SELF_SERVE, rows: [row] });
    const { totals } = await previews.preview(account, { family: SELF_SERVE, rows: [row, row] });
    const zero = { event_value: 0 };
    expect(totals).toEqual({
      listed: [{ event_category: 'A', before: zero, after: zero }],
      more: 0,
    });
  });

  test('lists the 100 largest changes of more than 10,000 keys, and says who stands there', async () => {
    const account = previews.newAccount();
    const rows = (value: (index: number) => number): CsvRow[] =>
      Array.from({ length: 12_345 }, (_, index) => ({
        date: '2026-03-01',
        channel: 'Search',
        event_category: `M${String(index).padStart(5, '0')}`,
        event_value: String(value(index)),
      }));
    const requestId = await previews.upload(account, { family: SELF_SERVE, rows: rows(() => 1) });
    const { keys, totals, replaced } = await previews.preview(account, {
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

  test('lists keys whose changes are equal in the order of the keys, also of two queries', async () => {
    const account = previews.newAccount();
    const metrics = Array.from({ length: 10_050 }, (_, at) => `M${String(at).padStart(5, '0')}`);
    const rows = (event_value: string): CsvRow[] =>
      metrics.map((event_category) => ({
        ...{ date: '2026-03-01', channel: 'Search', event_category, event_value },
      }));
    await previews.upload(account, { family: SELF_SERVE, rows: rows('1') });
    // The second query has the last 50 keys of the file, which are the first ones in their order.
    const next = { family: SELF_SERVE, rows: rows('2').toReversed() };
    const { keys, replaced } = await previews.preview(account, next);
    expect(keys!.replaced).toBe(10_050);
    expect(replaced.map((key) => key.event_category)).toEqual(metrics.slice(0, 100));
  });

  test('does not know what is stored of an account that is being erased', async () => {
    const account = previews.newAccount();
    const row = { date: '2026-03-01', channel: 'Search', currency: 'EUR', campaign: 'A' };
    const rows = [{ ...row, impressions: '1', clicks: '1', cost: '1' }];
    await previews.upload(account, { family: COST, rows });
    previews.orderErasure(account);
    const erased = await previews.preview(account, { family: COST, rows });
    expect(erased.keys).toEqual({ total: 1, new: 1, replaced: 0, unchanged: 0 });
    expect(erased.totals!.listed[0]!.before).toEqual({ impressions: 0, clicks: 0, cost: 0 });
    expect(erased.warnings.map(({ code }) => code)).toEqual(['new-channel']);
    await previews.upload(account, { family: COST, rows });
    const after = await previews.preview(account, { family: COST, rows });
    expect(after.keys).toEqual({ total: 1, new: 0, replaced: 0, unchanged: 1 });
  });

  test('lists keys first whose sums are beyond a double before and after', async () => {
    const account = previews.newAccount();
    const metric = (event_category: string, event_value: string): CsvRow => ({
      ...{ date: '2026-03-01', channel: 'Search', event_category, event_value },
    });
    const upload = (beyond: string, value: string): CsvRow[] => [
      // By its name it is the last one.
      ...[metric('Z', '1.7e308'), metric('Z', beyond)],
      ...Array.from({ length: 100 }, (_, at) => metric(`M${at}`, value)),
    ];
    await previews.upload(account, { family: SELF_SERVE, rows: upload('1.7e308', '1') });
    const next = { family: SELF_SERVE, rows: upload('1.6e308', '2') };
    const { keys, replaced } = await previews.preview(account, next);
    expect(keys!.replaced).toBe(101);
    expect(replaced).toHaveLength(100);
    const beyond = [{ event_value: null }];
    expect(replaced[0]).toMatchObject({ event_category: 'Z', before: beyond, after: beyond });
  });
});
