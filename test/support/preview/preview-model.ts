import fc from 'fast-check';

import { COST, type Family, keyColumns, SELF_SERVE } from '../../../src/domain/families/index.js';
import type { Preview } from '../../../src/preview/answer.js';
import type { CsvRow } from '../model/warehouse-model.js';

/** Random uploads, and what a preview has to say after them. */

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

export interface File {
  readonly family: Family;
  readonly rows: readonly CsvRow[];
}

export const anyFile: fc.Arbitrary<File> = fc.oneof(
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

/** What may happen before a preview: an upload, or a metric that is archived or shown again. */
export type Step = File | { readonly metric: string; readonly isArchived: boolean };

export const anyStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: anyFile },
  {
    weight: 1,
    arbitrary: fc.record({ metric: fc.constantFrom('A', 'B'), isArchived: fc.boolean() }),
  },
);

/** Stored rows of a key, and the upload that stands there. */
interface StoredKey {
  readonly rows: readonly CsvRow[];
  readonly requestId: string;
}

/** What the preview has to say, in the simplest form. */
export class Model {
  private readonly stored = new Map<string, StoredKey>();
  private readonly archived = new Map<string, boolean>();

  apply({ family, rows }: File, requestId: string): void {
    for (const [key, own] of byKey(family, rows)) {
      this.stored.set(`${family.name} ${key}`, { rows: own, requestId });
    }
  }

  archive(metric: string, isArchived: boolean): void {
    this.archived.set(metric, isArchived);
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
      archived: [...new Set(rows.map((row) => row['event_category']!))]
        .filter((metric) => this.archived.get(metric) === true)
        .sort(),
    };
  }
}

/** What sums are named by, and the columns that are summed. */
export function sumsColumns(family: Family): {
  readonly name: 'currency' | 'event_category';
  readonly measures: readonly string[];
} {
  return family === COST
    ? { name: 'currency', measures: ['impressions', 'clicks', 'cost'] }
    : { name: 'event_category', measures: ['event_value'] };
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
  const { name, measures } = sumsColumns(family);
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
export function said(family: Family, preview: Preview): unknown {
  const { name, measures } = sumsColumns(family);
  const shortOf = (of: unknown, values: Readonly<Record<string, unknown>>): object => ({
    of,
    sum: measures.map((measure) => values[measure]),
  });
  const isShown = (each: object): boolean => {
    const { sum } = each as { sum: number[] };
    return sum.some((value) => value !== 0);
  };
  const { rows, keys, totals, replaced, warnings } = preview;
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
    archived: warnings
      .filter(({ code }) => code === 'archived-metric')
      .flatMap(({ message }) => [...message.matchAll(/"(\w+)"/g)].map(([, metric]) => metric!)),
  };
}

function byText(a: object, b: object): number {
  return JSON.stringify(a) < JSON.stringify(b) ? -1 : 1;
}
