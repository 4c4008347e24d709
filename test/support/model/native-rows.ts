import type { NativeBlock } from '../../../src/warehouse/warehouse.js';
import {
  blockOf,
  columnsOf,
  DATE_TIME,
  STRING,
  UINT128,
  UINT16,
  UINT64,
  UUID,
  type ColumnType,
} from '../../../src/warehouse/native/block.js';
import {
  COST,
  familyNamed,
  joinedTexts,
  ownTexts,
  rowColumns,
  SELF_SERVE,
  textColumns,
  valueColumns,
  type Column,
  type Family,
} from '../../../src/domain/families/index.js';
import { dayOf } from '../../../src/domain/days.js';

/** Encodes storage rows in the simplest way: a reference for the encoder, and blocks for tests. */

type Value = string | number | bigint | boolean | null;
export type Row = Readonly<Record<string, Value>>;

/** Several CSV rows that share an overwrite key. */
export interface StoredKey {
  readonly account: string;
  readonly date: string;
  readonly channel: string;
  /** The campaign (cost) or the event_category (self-serve). */
  readonly third: string;
  readonly version: bigint;
  readonly requestId: string;
  /** Seconds since the epoch. */
  readonly uploadedAt: number;
  /** Omitted fields are '' or 0, depending on their type. */
  readonly rows: readonly Row[];
}

/** Days since 1970-01-01. */
export const DATE: ColumnType<number> = { ...UINT16, name: 'Date' };

export const FLOAT64: ColumnType<number> = {
  name: 'Float64',
  blank: 0,
  write: (values) => Buffer.from(Float64Array.from(values).buffer),
};

export function array<T>(inner: ColumnType<T>): ColumnType<readonly T[]> {
  return {
    name: `Array(${inner.name})`,
    blank: [],
    write(values) {
      let end = 0;
      const offsets = values.map((value) => (end += value.length));
      return Buffer.concat([UINT64.write(offsets), inner.write(values.flat())]);
    },
  };
}

export function tuple(elements: Readonly<Record<string, ColumnType<Value>>>): ColumnType<Row> {
  const types = Object.entries(elements);
  return {
    name: `Tuple(${types.map(([name, type]) => `${name} ${type.name}`).join(', ')})`,
    blank: {},
    write: (values) =>
      Buffer.concat(
        types.map(([name, type]) => type.write(values.map((row) => row[name] ?? type.blank))),
      ),
  };
}

function elements(columns: readonly Column[]): ColumnType<Row> {
  const types = columns.map((column) => [column.name, typeOf(column)] as const);
  return tuple({ ...Object.fromEntries(types), texts: STRING });
}

/**
 * Joins texts of a row, up to the last one that any row of its key has. Here the rows of a key are
 * its whole upload.
 */
function withTexts(columns: readonly Column[], row: Row, rows: readonly Row[]): Row {
  const names = columns.map(({ name }) => name);
  const last = names.findLastIndex((name) => rows.some((each) => name in each));
  return {
    ...row,
    texts: names
      .slice(0, last + 1)
      .map((name) => row[name] ?? '')
      .join('\0'),
  };
}

/** The key's group-by combinations, each with the sums of its rows; in cost, without rows of zeros. */
function combinationsOf(family: Family, rows: readonly Row[]): Row[] {
  const found = new Map<string, Record<string, Value>>();
  const dimensions = rowColumns(family).filter(({ role }) => role === 'group-by');
  for (const row of family === COST ? rows.filter(isLive) : rows) {
    const id = JSON.stringify(dimensions.map(({ name }) => row[name] ?? ''));
    const sums = found.get(id);
    if (sums === undefined) found.set(id, { ...row });
    else {
      for (const metric of METRICS) {
        if (metric in row) sums[metric] = Number(sums[metric] ?? 0) + Number(row[metric]);
      }
    }
  }
  return [...found.values()];
}

export function storageBlock(table: Family['table'], keys: readonly StoredKey[]): NativeBlock {
  const family = familyNamed(table === 'cost' ? 'cost' : 'self-serve');
  const third = family === COST ? 'campaign' : 'event_category';
  const of = columnsOf(keys);
  const columns = [
    of('account', STRING, (key) => key.account),
    of('date', DATE, (key) => dayOf(key.date)),
    of('channel', STRING, (key) => key.channel),
    of(third, STRING, (key) => key.third),
    of('version', UINT128, (key) => key.version),
    of('request_id', UUID, (key) => key.requestId),
    of('uploaded_at', DATE_TIME, (key) => key.uploadedAt),
    of(
      'combinations',
      array(elements([...valueColumns(family), ...ownTexts(family)])),
      ({ rows }) =>
        combinationsOf(family, rows).map((row) => withTexts(joinedTexts(family), row, rows)),
    ),
    of('csv_rows', array(elements(valueColumns(family))), ({ rows }) =>
      combinationsOf(family, rows).length === rows.length
        ? []
        : rows.map((row) => withTexts(textColumns(family), row, rows)),
    ),
  ];
  if (family === SELF_SERVE) return blockOf(columns, keys.length);
  return blockOf([...columns, of('totals', array(TOTAL), totalsOf)], keys.length);
}

const TOTAL = tuple({
  currency: STRING,
  impressions: UINT64,
  clicks: UINT64,
  cost: FLOAT64,
});

function totalsOf({ rows }: StoredKey): Row[] {
  const live = rows.filter(isLive);
  const currencies = [...new Set(live.map((row) => row['currency'] ?? ''))];
  return currencies.map((currency) => {
    const same = rows.filter((row) => row['currency'] === currency);
    const sum = (metric: string): number =>
      same.reduce((total, row) => total + Number(row[metric] ?? 0), 0);
    return {
      currency,
      impressions: sum('impressions'),
      clicks: sum('clicks'),
      cost: sum('cost'),
    };
  });
}

const METRICS = ['impressions', 'clicks', 'cost', 'event_value'];

function isLive(row: Row): boolean {
  return METRICS.some((metric) => Number(row[metric] ?? 0) !== 0);
}

function typeOf({ kind }: Column): ColumnType<Value> {
  if (kind === 'count') return UINT64;
  return kind === 'amount' ? FLOAT64 : STRING;
}
