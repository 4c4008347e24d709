import { isISO31661Alpha2, isISO4217CurrencyCode } from 'class-validator';

import type { DecodedKey, Row, Total, Value } from './decode-prepared.js';
import { parseStrictCsv } from './model-csv.js';

/**
 * A second validator, with strings and regular expressions: slow and obvious. It follows the
 * specification alone, so that it can check the fast one.
 */

export interface ModelFacts {
  /** `YYYY-MM-DD` in the account's time zone. */
  readonly requestDate: string;
  readonly integratedChannels: readonly string[];
}

export type ModelVerdict =
  | { readonly valid: true; readonly keys: readonly DecodedKey[] }
  /** The columns that the reason must name; undefined when the file cannot be parsed. */
  | { readonly valid: false; readonly columns: ReadonlySet<string> | undefined };

/** Returns the stored value; undefined when the value breaks the rule. */
type Rule = (value: string, facts: ModelFacts) => Value | undefined;

const text: Rule = (value) => {
  if (value === '' || /^\p{White_Space}|\p{White_Space}$/u.test(value)) return undefined;
  return Array.from(value).length <= 256 ? value : undefined;
};
const where =
  (isGood: (value: string, facts: ModelFacts) => boolean): Rule =>
  (value, facts) =>
    isGood(value, facts) ? value : undefined;

const RETIRED = ['BYR', 'CUC', 'HRK', 'MRO', 'STD', 'VEF'];
const NEW = ['XCG', 'ZWG'];
const NO_COUNTRY = /^X(?!AF|CD|CG|OF|PF)/;
const currency = where(
  (value) =>
    /^[A-Z]{3}$/.test(value) &&
    !NO_COUNTRY.test(value) &&
    (isISO4217CurrencyCode(value) || RETIRED.includes(value) || NEW.includes(value)),
);
const country = where(
  (value) => /^[a-z]{2}$/.test(value) && (isISO31661Alpha2(value.toUpperCase()) || value === 'xk'),
);
const count: Rule = (value) =>
  /^\d+$/.test(value) && BigInt(value) <= 999_999_999_999n ? BigInt(value) : undefined;
const amount: Rule = (value) =>
  /^[+-]?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(value) && Number.isFinite(Number(value))
    ? Number(value) + 0
    : undefined;
const bool: Rule = (value) =>
  value === 'true' || value === 'false' ? value === 'true' : undefined;

const isDay = (value: string): boolean => {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(value)) return false;
  const date = new Date(`${value}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(value);
};
const date = where((value) => isDay(value) && value >= '1970-01-01' && value <= '2149-06-06');
const recentDate = where((value, { requestDate }) => {
  const oldest = new Date(Date.parse(requestDate) - 92 * 86_400_000).toISOString().slice(0, 10);
  return isDay(value) && value >= oldest && value <= requestDate;
});

const texts = (names: string): Record<string, Rule> =>
  Object.fromEntries(names.split(' ').map((name) => [name, text]));

const FAMILIES = {
  cost: {
    key: ['date', 'channel', 'campaign'],
    required: ['date', 'channel', 'currency', 'campaign', 'impressions', 'clicks', 'cost'],
    blankOptional: false,
    maxRows: 10_000,
    rules: {
      date,
      channel: (value, facts) =>
        facts.integratedChannels.includes(value) ? undefined : text(value, facts),
      currency,
      impressions: count,
      clicks: count,
      cost: amount,
      country,
      ...texts('campaign campaign_id ad_group ad_group_id ad_creative ad_creative_id term term_id'),
      ...texts('ad_account ad_account_id sub_publisher sub_sub_publisher_1 sub_sub_publisher_2'),
      ...texts('sub_sub_publisher_3 os_name'),
    } satisfies Record<string, Rule> as Record<string, Rule>,
  },
  'self-serve': {
    key: ['date', 'channel', 'event_category'],
    required: ['date', 'channel', 'event_category', 'event_value'],
    blankOptional: true,
    maxRows: Infinity,
    rules: {
      date: recentDate,
      event_category: where((value) => /^[A-Za-z0-9]{1,256}$/.test(value)),
      event_value: amount,
      event_source: where((value) => ['app', 'web', 'tracking_link', 'sms_link'].includes(value)),
      country,
      currency,
      is_first_event_per_device_id: bool,
      is_first_event_per_user_id: bool,
      ...texts('channel campaign ad_group ad_creative content os_name term sub_publisher'),
      ...texts('sub_sub_publisher_1 sub_sub_publisher_2 sub_sub_publisher_3'),
    } satisfies Record<string, Rule> as Record<string, Rule>,
  },
};

export type ModelFamily = keyof typeof FAMILIES;

/** The columns of a family, in no particular order. */
export function columnsOf(family: ModelFamily): string[] {
  return Object.keys(FAMILIES[family].rules);
}

export function requiredOf(family: ModelFamily): readonly string[] {
  return FAMILIES[family].required;
}

export function modelVerdict(
  name: ModelFamily,
  bytes: Uint8Array,
  facts: ModelFacts,
): ModelVerdict {
  const { key, required, blankOptional, maxRows, rules } = FAMILIES[name];
  const broken = (columns?: Iterable<string>): ModelVerdict => ({
    valid: false,
    columns: columns && new Set(columns),
  });
  let csv: string;
  try {
    csv = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return broken();
  }
  if (csv.includes('\0')) return broken();
  const [header, ...rows] = parseStrictCsv(csv) ?? [];
  if (header === undefined || rows.some((row) => row.length !== header.length)) return broken();

  const wrong = new Set<string>();
  for (const column of required) if (!header.includes(column)) wrong.add(column);
  header.forEach((column, i) => {
    const isDoubled = header.indexOf(column) !== i;
    if (column === '') wrong.add('file');
    else if (isDoubled || !Object.hasOwn(rules, column)) wrong.add(column);
  });
  if (rows.length === 0 || rows.length > maxRows) wrong.add('file');

  const stored = rows.map((row) => {
    const values = new Map<string, Value>();
    header.forEach((column, i) => {
      if (!Object.hasOwn(rules, column) || header.indexOf(column) !== i) return;
      const isBlank = row[i] === '' && blankOptional && !required.includes(column);
      const value = isBlank ? blankOf(rules[column]!) : rules[column]!(row[i]!, facts);
      if (value === undefined) wrong.add(column);
      else values.set(column, value);
    });
    return values;
  });
  if (wrong.size > 0) return broken(wrong);

  const groups = new Map<string, { key: DecodedKey['key']; rows: Row[] }>();
  for (const values of stored) {
    const keyValues = key.map((column) => values.get(column)) as [string, string, string];
    const id = JSON.stringify(keyValues);
    const others = Object.entries(rules).filter(([column]) => !key.includes(column));
    const row = Object.fromEntries(
      others.map(([column, rule]) => [column, values.get(column) ?? blankOf(rule)]),
    );
    if (!groups.has(id)) groups.set(id, { key: keyValues, rows: [] });
    groups.get(id)!.rows.push(row);
  }
  return {
    valid: true,
    keys: [...groups.values()].map((group) => {
      const combinations = combinationsOf(name === 'cost' ? group.rows.filter(isLive) : group.rows);
      return {
        ...group,
        combinations,
        hasCsvRows: combinations.length !== group.rows.length,
        totals: name === 'cost' ? totalsOf(group.rows) : [],
      };
    }),
  };
}

const blankOf = (rule: Rule): Value => (rule === bool ? null : '');

const METRICS = ['impressions', 'clicks', 'cost', 'event_value'];

/** A row of cost that is all zeros deletes: it counts in no sum. */
const isLive = (row: Row): boolean => METRICS.some((metric) => Number(row[metric] ?? 0) !== 0);

/** Rows that differ in metrics alone are one, in the order of their first rows. */
function combinationsOf(rows: readonly Row[]): Row[] {
  const found = new Map<string, Record<string, Value>>();
  for (const row of rows) {
    const isMetric = ([name]: [string, Value]): boolean => METRICS.includes(name);
    const id = JSON.stringify(Object.entries(row).filter((entry) => !isMetric(entry)));
    const sums = found.get(id);
    if (sums === undefined) {
      found.set(id, { ...row });
      continue;
    }
    for (const [name, value] of Object.entries(row).filter(isMetric)) {
      const sum = sums[name]!;
      sums[name] = typeof sum === 'bigint' ? sum + (value as bigint) : Number(sum) + Number(value);
    }
  }
  return [...found.values()];
}

function totalsOf(rows: readonly Row[]): Total[] {
  const totals = new Map<string, Total>();
  for (const row of rows) {
    if (!isLive(row)) continue;
    const [impressions, clicks] = [row['impressions'] as bigint, row['clicks'] as bigint];
    const [name, cost] = [row['currency'] as string, row['cost'] as number];
    const sum = totals.get(name) ?? { currency: name, impressions: 0n, clicks: 0n, cost: 0 };
    totals.set(name, {
      currency: name,
      impressions: sum.impressions + impressions,
      clicks: sum.clicks + clicks,
      cost: sum.cost + cost,
    });
  }
  return [...totals.values()];
}
