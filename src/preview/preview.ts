import { type Family, keyColumns, valueColumns } from '../domain/families/index.js';
import type {
  KeyMeasures,
  Measures,
  Preview,
  PreviewedKey,
  PreviewTotals,
  Warning,
} from './answer.js';
import {
  type Comparison,
  MOST_LISTED,
  type NamedMeasures,
  type ReplacedKey,
} from '../warehouse/rows/compare-keys.js';

const MOST_TOTALS = 50;

type KeyColumns = Pick<PreviewedKey, 'date' | 'channel' | 'campaign' | 'event_category'>;

/** The preview of a file with mistakes. */
export function invalid(reason: string, asOf: string): Preview {
  return {
    valid: false,
    reason: JSON.parse(reason) as Preview['reason'],
    rows: null,
    keys: null,
    compared: false,
    totals: null,
    replaced: [],
    warnings: [],
    asOf,
  };
}

/**
 * The preview of a valid file.
 *
 * @param comparisons of all of its keys; undefined: they were not compared
 */
export function previewOf(
  family: Family,
  { rows, keys: total }: { readonly rows: number; readonly keys: number },
  comparisons: readonly Comparison[] | undefined,
  warnings: readonly Warning[],
  asOf: string,
): Preview {
  const file = { valid: true, reason: null, rows, warnings, asOf };
  if (comparisons === undefined) {
    const keys = { total, new: null, replaced: null, unchanged: null };
    return { ...file, keys, compared: false, totals: null, replaced: [] };
  }
  const stored = sumOf(comparisons, (each) => each.stored);
  const unchanged = sumOf(comparisons, (each) => each.unchanged);
  return {
    ...file,
    keys: { total, new: total - stored, replaced: stored - unchanged, unchanged },
    compared: true,
    totals: totalsOf(family, comparisons),
    replaced: comparisons
      .flatMap((each) => each.replaced)
      .sort((a, b) => b.change - a.change || compareTexts(keyOf(family, a), keyOf(family, b)))
      .slice(0, MOST_LISTED)
      .map((key) => previewedKey(family, key)),
  };
}

function totalsOf(family: Family, comparisons: readonly Comparison[]): PreviewTotals {
  const before = summed(comparisons.flatMap((each) => each.before));
  const after = summed(comparisons.flatMap((each) => each.after));
  const measured = valueColumns(family).map(({ name }) => name);
  const none = Object.fromEntries(measured.map((name) => [name, 0]));
  const amount = measured.at(-1)!;
  const totals = [...new Set([...before.keys(), ...after.keys()])]
    .map((name) => {
      const total = { before: before.get(name) ?? none, after: after.get(name) ?? none };
      return { name, total, change: changeOf(total.before[amount]!, total.after[amount]!) };
    })
    .sort((a, b) => b.change - a.change || compareTexts(a.name, b.name));
  return {
    listed: totals
      .slice(0, MOST_TOTALS)
      .map(({ name, total }) =>
        family.name === 'cost' ? { currency: name, ...total } : { event_category: name, ...total },
      ),
    more: Math.max(0, totals.length - MOST_TOTALS),
  };
}

/** Without a number the change is the largest. */
function changeOf(before: number | null, after: number | null): number {
  return before === null || after === null ? Infinity : Math.abs(after - before);
}

function summed(all: readonly NamedMeasures[]): ReadonlyMap<string, Measures> {
  const sums = new Map<string, Measures>();
  for (const { name, measures } of all) {
    const sum = sums.get(name) ?? {};
    const entries = Object.entries(measures).map(([column, value]) => {
      const before = sum[column] ?? (column in sum ? null : 0);
      return [column, before === null || value === null ? null : before + value] as const;
    });
    sums.set(name, Object.fromEntries(entries));
  }
  return sums;
}

function previewedKey(family: Family, found: ReplacedKey): PreviewedKey {
  const { key, before, after, requestId, uploadedAt } = found;
  const measuresOf = ({ name, measures }: NamedMeasures): KeyMeasures =>
    family.name === 'cost' ? { currency: name, ...measures } : measures;
  return {
    ...(key as unknown as KeyColumns),
    before: before.map(measuresOf),
    after: after.map(measuresOf),
    requestId,
    uploadedAt,
  };
}

function keyOf(family: Family, { key }: ReplacedKey): string {
  // No value has a NUL.
  return keyColumns(family)
    .map(({ name }) => key[name]!)
    .join('\0');
}

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

function sumOf<T>(items: readonly T[], value: (item: T) => number): number {
  return items.reduce((sum, item) => sum + value(item), 0);
}
