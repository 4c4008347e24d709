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
  type Sums,
} from '../warehouse/rows/compare-keys.js';
import { groupOf } from './warnings/file-values.js';

const MOST_TOTALS = 50;

/** Null: beyond what a double holds. */
type MaybeSum = number | null;

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
  const measured = valueColumns(family).map(({ name }) => name);
  // There may be 100,000 names: their sums are in columns, and a name has one place in all of them.
  const places = new Map<string, number>();
  for (const { before, after } of comparisons) {
    for (const { names } of [before, after]) {
      for (const name of names) if (!places.has(name)) places.set(name, places.size);
    }
  }
  const columnsOf = (side: 'before' | 'after'): MaybeSum[][] =>
    measured.map((_, measure) => {
      const sums = comparisons.map((each) => each[side]);
      return summed(places, sums, measure);
    });
  const [before, after] = [columnsOf('before'), columnsOf('after')];
  const names = [...places.keys()];
  const [amountBefore, amountAfter] = [before.at(-1)!, after.at(-1)!];
  const changes = names.map((_, at) => changeOf(amountBefore[at]!, amountAfter[at]!));
  const measuresAt = (columns: readonly MaybeSum[][], at: number): Measures =>
    Object.fromEntries(measured.map((name, measure) => [name, columns[measure]![at]!]));
  return {
    listed: [...names.keys()]
      .sort((a, b) => changes[b]! - changes[a]! || compareTexts(names[a]!, names[b]!))
      .slice(0, MOST_TOTALS)
      .map((at) => {
        const total = { before: measuresAt(before, at), after: measuresAt(after, at) };
        const name = names[at]!;
        return family.name === 'cost'
          ? { currency: name, ...total }
          : { event_category: name, ...total };
      }),
    more: Math.max(0, names.length - MOST_TOTALS),
  };
}

/** Without a number the change is the largest. */
function changeOf(before: MaybeSum, after: MaybeSum): number {
  return before === null || after === null ? Infinity : Math.abs(after - before);
}

/** One measure by place. */
function summed(
  places: ReadonlyMap<string, number>,
  all: readonly Sums[],
  measure: number,
): MaybeSum[] {
  const sums = Array<MaybeSum>(places.size).fill(0);
  for (const { names, columns } of all) {
    names.forEach((name, at) => {
      const place = places.get(name)!;
      const [sum, value] = [sums[place] ?? null, columns[measure]![at] ?? null];
      sums[place] = sum === null || value === null ? null : sum + value;
    });
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
  return groupOf(...keyColumns(family).map(({ name }) => key[name]!));
}

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

function sumOf<T>(items: readonly T[], value: (item: T) => number): number {
  return items.reduce((sum, item) => sum + value(item), 0);
}
