/** The sums of a set of rows. Cost is in hundredths, so that sums are exact in any order. */
export interface Totals {
  readonly rows: number;
  readonly impressions: number;
  readonly clicks: number;
  readonly costCents: number;
}

export const NOTHING: Totals = { rows: 0, impressions: 0, clicks: 0, costCents: 0 };

export function plus(a: Totals, b: Totals): Totals {
  return {
    rows: a.rows + b.rows,
    impressions: a.impressions + b.impressions,
    clicks: a.clicks + b.clicks,
    costCents: a.costCents + b.costCents,
  };
}

/** The same sums as columns of a query; a sum of many doubles would not be exact. */
export const TOTALS_SQL =
  'count() AS rows, sum(impressions) AS impressions, sum(clicks) AS clicks, ' +
  'sum(toInt64(round(cost * 100))) AS costCents';

/** @throws Error when the two differ, which makes the run invalid */
export function requireEqual(what: string, found: Totals, expected: Totals): void {
  for (const name of Object.keys(expected) as (keyof Totals)[]) {
    if (found[name] !== expected[name]) {
      throw new Error(`${what}: ${name} is ${found[name]}, but ${expected[name]} was sent`);
    }
  }
}
