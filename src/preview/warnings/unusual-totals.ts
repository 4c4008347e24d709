import type { Family } from '../../domain/families/index.js';
import { dayOf } from '../../domain/days.js';
import type { WarningThresholds } from '../../domain/warning-thresholds.js';
import type { StoredDayTotal } from '../../warehouse/rows/day-totals.js';
import { type FileValues, groupOf } from './file-values.js';
import type { Warning } from '../answer.js';
import { RowList } from './warning.js';

const NO_DAYS: ReadonlyMap<number, number> = new Map();

interface Unusual {
  readonly day: string;
  readonly channel: string;
  readonly name: string;
  readonly total: number;
  readonly median: number;
}

/**
 * Days whose total, with the file, is far from the usual one of the channel.
 *
 * @param stored without the keys of the file, and without deletions
 */
export function unusualTotals(
  family: Family,
  { totals }: FileValues,
  stored: readonly StoredDayTotal[],
  { unusualFactor, usualDays, fewestUsualDays }: WarningThresholds,
): Warning[] {
  // By channel and name, by day: the total after the upload.
  const series = new Map<string, Map<number, number>>();
  const add = (day: string, channel: string, name: string, amount: number): void => {
    const group = groupOf(channel, name);
    let days = series.get(group);
    if (days === undefined) series.set(group, (days = new Map<number, number>()));
    const at = dayOf(day);
    days.set(at, (days.get(at) ?? 0) + amount);
  };
  for (const { day, channel, name, amount } of stored) add(day, channel, name, amount);
  for (const [group, { amount, hasData }] of totals) {
    const [day, channel, name] = group.split('\0') as [string, string, string];
    if (hasData) add(day, channel, name, amount);
  }
  const unusual: Unusual[] = [];
  for (const group of totals.keys()) {
    const [day, channel, name] = group.split('\0') as [string, string, string];
    const days = series.get(groupOf(channel, name)) ?? NO_DAYS;
    const at = dayOf(day);
    const before: number[] = [];
    for (let each = at - usualDays; each < at; each++) {
      const amount = days.get(each);
      if (amount !== undefined) before.push(amount);
    }
    if (before.length < fewestUsualDays) continue;
    const [total, median] = [days.get(at) ?? 0, medianOf(before)];
    if (median <= 0) continue;
    if (total > unusualFactor * median || total < median / unusualFactor) {
      unusual.push({ day, channel, name, total, median });
    }
  }
  return unusual.length === 0 ? [] : [warningOf(family, unusual, totals)];
}

function warningOf(
  family: Family,
  unusual: readonly Unusual[],
  totals: FileValues['totals'],
): Warning {
  const column = family.name === 'cost' ? 'cost' : 'event_value';
  const [{ day, channel, name, total, median }] = unusual as [Unusual];
  const rows = RowList.of(
    unusual.map((each) => totals.get(groupOf(each.day, each.channel, each.name))!.rows),
  );
  const more = unusual.length - 1;
  const others = more === 0 ? '' : `, and so are ${more} more`;
  return {
    code: 'unusual-total',
    column,
    rows: rows.first,
    message: `"${channel}" would have ${rounded(total)} ${name} on ${day}, where ${rounded(median)} is usual${others}`,
  };
}

function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const half = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[half]! : (sorted[half - 1]! + sorted[half]!) / 2;
}

function rounded(value: number): string {
  return String(Number(value.toPrecision(6)));
}
