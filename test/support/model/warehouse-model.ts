import { COST, type Family, keyColumns, SELF_SERVE } from '../../../src/domain/families/index.js';
import { daysAgo } from './utc-days.js';

/** A CSV row, as text by column. Columns that are not in the file are left out. */
export type CsvRow = Readonly<Record<string, string>>;
type ReportRow = Record<string, string | number | boolean | null>;

/**
 * What the warehouse's views must show, in the simplest form: a Map from overwrite key to the rows
 * of the last upload with that key.
 */
export class WarehouseModel {
  private readonly keys = {
    cost: new Map<string, ReportRow[]>(),
    self_serve: new Map<string, ReportRow[]>(),
  };

  private readonly metrics = new Map<string, Set<string>>();
  private readonly applied = new Map<string, number>();

  /** Apply uploads in the order in which they were accepted. */
  apply(account: string, family: Family, rows: readonly CsvRow[]): void {
    const byKey = new Map<string, ReportRow[]>();
    for (const row of rows) {
      const key = JSON.stringify([account, ...keyOf(family, row)]);
      const stored = { account, ...storedRow(family, row) };
      const same = byKey.get(key);
      if (same === undefined) byKey.set(key, [stored]);
      else same.push(stored);
    }
    for (const [key, stored] of byKey) this.keys[family.table].set(key, stored);
    const names = this.metrics.get(account) ?? new Set();
    for (const row of rows) if ('event_category' in row) names.add(row['event_category']);
    this.metrics.set(account, names);
    this.applied.set(account, this.rowsApplied(account) + rows.length);
  }

  /** Rows of all uploads of the account, including rows that were replaced since. */
  rowsApplied(account: string): number {
    return this.applied.get(account) ?? 0;
  }

  costRows(account: string): ReportRow[] {
    return this.rowsOf('cost', account);
  }

  selfServeRows(account: string): ReportRow[] {
    return this.rowsOf('self_serve', account);
  }

  costReport(account: string): ReportRow[] {
    const metrics = ['impressions', 'clicks', 'cost'];
    return grouped(
      this.stored('cost', account).filter(isShown),
      (row) => without(row, metrics),
      metrics,
    );
  }

  costSummary(account: string): ReportRow[] {
    const metrics = ['impressions', 'clicks', 'cost'];
    return grouped(
      this.stored('cost', account).filter(isShown),
      ({ account, date, channel, campaign, currency }) => ({
        account: account!,
        date: date!,
        channel: channel!,
        campaign: campaign!,
        currency: currency!,
      }),
      metrics,
    );
  }

  selfServeReport(account: string): ReportRow[] {
    return sorted(this.selfServeCombinations(account));
  }

  selfServeSummary(account: string): ReportRow[] {
    return grouped(
      this.selfServeCombinations(account),
      ({ account, date, channel, event_category }) => ({
        account: account!,
        date: date!,
        channel: channel!,
        event_category: event_category!,
      }),
      ['event_value'],
    );
  }

  /** Without `last_upload`; the missing days as the engine writes an array of them. */
  dataFreshness(account: string): ReportRow[] {
    const channels = new Map<string, { family: string; channel: string; days: Set<string> }>();
    for (const table of ['cost', 'self_serve'] as const) {
      const family = table.replace('_', '-');
      for (const row of this.stored(table, account)) {
        if (table === 'cost' && !isShown(row)) continue;
        const channel = String(row['channel']);
        const key = JSON.stringify([family, channel]);
        const known = channels.get(key) ?? { family, channel, days: new Set<string>() };
        known.days.add(String(row['date']));
        channels.set(key, known);
      }
    }
    const rows = [...channels.values()].map(({ family, channel, days }) => {
      const inOrder = [...days].sort();
      const missing = LAST_90_DAYS.map(daysAgo).filter(
        (day) => day > inOrder[0]! && !days.has(day),
      );
      return {
        account,
        family,
        channel,
        first_date: inOrder[0]!,
        last_date: inOrder.at(-1)!,
        missing_days: `[${missing.map((day) => `'${day}'`).join(',')}]`,
      };
    });
    return sorted(rows);
  }

  spellingVariants(account: string): ReportRow[] {
    const recent = [...this.costReport(account), ...this.selfServeReport(account)].filter(
      (row) => String(row['date']) >= daysAgo(90),
    );
    const groups = new Map<string, Map<string, { rows: number; last_date: string }>>();
    for (const row of recent) {
      for (const column of ['channel', 'campaign', 'os_name']) {
        const [value, date] = [String(row[column]), String(row['date'])];
        const key = JSON.stringify([column, value.replace(/\s/gu, '').toLowerCase()]);
        const values = groups.get(key) ?? new Map<string, { rows: number; last_date: string }>();
        const { rows, last_date } = values.get(value) ?? { rows: 0, last_date: date };
        values.set(value, { rows: rows + 1, last_date: date > last_date ? date : last_date });
        groups.set(key, values);
      }
    }
    const variants = [...groups].flatMap(([key, values]) => {
      const [column, plain_form] = JSON.parse(key) as [string, string];
      if (values.size === 1) return [];
      return [...values].map(([value, use]) => ({ account, column, plain_form, value, ...use }));
    });
    return sorted(variants);
  }

  /** Every metric that was ever uploaded, even if all of its rows were replaced since. */
  metricNames(account: string): string[] {
    return [...(this.metrics.get(account) ?? [])].sort();
  }

  /** Those of each key in the order of their first rows, as its sum adds them. */
  private selfServeCombinations(account: string): ReportRow[] {
    const rows = this.stored('self_serve', account);
    return summed(rows, (row) => without(row, ['event_value']), ['event_value']);
  }

  private rowsOf(table: 'cost' | 'self_serve', account: string): ReportRow[] {
    return sorted(this.stored(table, account));
  }

  /** The rows of each key in the order of their file, as sums add them. */
  private stored(table: 'cost' | 'self_serve', account: string): ReportRow[] {
    const rows = [...this.keys[table].values()].filter(([row]) => row!['account'] === account);
    return rows.flat();
  }
}

/** From the oldest to yesterday, as numbers of days before today. */
const LAST_90_DAYS = Array.from({ length: 90 }, (_, index) => 90 - index);

function keyOf(family: Family, row: CsvRow): string[] {
  return keyColumns(family).map(({ name }) => row[name]!);
}

function storedRow(family: Family, row: CsvRow): ReportRow {
  const stored: ReportRow = {};
  for (const { name, kind } of family.columns) {
    const value = row[name] ?? '';
    if (kind === 'count' || kind === 'amount') stored[name] = Number(value);
    else if (kind === 'boolean') stored[name] = value === '' ? null : value === 'true';
    else stored[name] = value;
  }
  return stored;
}

function isShown(row: ReportRow): boolean {
  return row['impressions'] !== 0 || row['clicks'] !== 0 || row['cost'] !== 0;
}

function without(row: ReportRow, names: readonly string[]): ReportRow {
  return Object.fromEntries(Object.entries(row).filter(([name]) => !names.includes(name)));
}

function grouped(...of: Parameters<typeof summed>): ReportRow[] {
  return sorted(summed(...of));
}

/** In the order of the first rows of each group. */
function summed(
  rows: readonly ReportRow[],
  groupOf: (row: ReportRow) => ReportRow,
  metrics: readonly string[],
): ReportRow[] {
  const groups = new Map<string, ReportRow>();
  for (const row of rows) {
    const group = groupOf(row);
    const key = JSON.stringify(group);
    const sums = groups.get(key) ?? { ...group };
    for (const metric of metrics) {
      sums[metric] = Number(sums[metric] ?? 0) + Number(row[metric]);
    }
    groups.set(key, sums);
  }
  return [...groups.values()];
}

/** Puts rows and their fields in a canonical order, which does not depend on their source. */
export function sorted(rows: readonly ReportRow[]): ReportRow[] {
  const canonical = rows.map((row) => {
    const ordered: ReportRow = {};
    for (const name of Object.keys(row).sort()) ordered[name] = row[name]!;
    return { row: ordered, text: JSON.stringify(ordered) };
  });
  return canonical.sort((a, b) => (a.text < b.text ? -1 : 1)).map(({ row }) => row);
}

/** A CSV file of the rows, with every column that any of them has. */
export function csvOf(family: Family, rows: readonly CsvRow[]): string {
  const names = family.columns
    .map(({ name }) => name)
    .filter((name) => rows.some((row) => name in row));
  const quote = (value: string): string =>
    /[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
  const lines = [names, ...rows.map((row) => names.map((name) => row[name] ?? ''))];
  return lines.map((line) => `${line.map(quote).join(',')}\r\n`).join('');
}

export { COST, SELF_SERVE };
