import { type Family, keyColumns, ownTexts, valueColumns } from '../../domain/families/index.js';
import type { NativeBlock, Warehouse } from '../warehouse.js';
import { andNotErased, FOR_COMPARISONS } from './preview-queries.js';

/**
 * Sums by column: of cost `impressions`, `clicks` and `cost`, of self-serve `event_value`. Null:
 * beyond what a double holds.
 */
export type Measures = Readonly<Record<string, number | null>>;

/** Sums of several currencies or metrics, by column: there may be a metric for each key. */
export interface Sums {
  readonly names: readonly string[];
  /** In the order of `valueColumns`: a sum of each name. Null: beyond what a double holds. */
  readonly columns: readonly (readonly (number | null)[])[];
}

/** Sums of one currency (cost) or of one metric (self-serve). */
export interface NamedMeasures {
  readonly name: string;
  readonly measures: Measures;
}

/** A key that an upload would replace. */
export interface ReplacedKey {
  /** By column of the overwrite key, without the account. */
  readonly key: Readonly<Record<string, string>>;
  readonly before: readonly NamedMeasures[];
  readonly after: readonly NamedMeasures[];
  /** The upload that stands there. */
  readonly requestId: string;
  /** `YYYY-MM-DDTHH:MM:SS`, in UTC. */
  readonly uploadedAt: string;
  /** By how much cost or event_value changes, in absolute numbers, over all currencies. */
  readonly change: number;
}

/** What stands where an upload would write. */
export interface Comparison {
  /** How many keys are stored already. */
  readonly stored: number;
  /** How many hold exactly the rows of the upload. */
  readonly unchanged: number;
  readonly before: Sums;
  readonly after: Sums;
  /** Of cost: keys that get other currencies than they have, and up to 20 of them. */
  readonly otherCurrencies: {
    readonly count: number;
    readonly keys: readonly (readonly string[])[];
  };
  /** The largest changes first, then by key. */
  readonly replaced: readonly ReplacedKey[];
}

/** Keys and CSV rows of one comparison, unless one key has more rows. */
export const MOST_COMPARED = { keys: 10_000, rows: 20_000 };
/** So many replaced keys are listed. */
export const MOST_LISTED = 100;
/** So many keys with other currencies are listed, in no order. */
const MOST_OTHERS = 20;

/**
 * Compares keys of an upload with what is stored of them.
 *
 * @param block of one account, at most `MOST_COMPARED` (see `contentBlock`)
 * @param erasedUpTo see `andNotErased`
 * @throws WarehouseError
 */
export async function compareKeys(
  warehouse: Warehouse,
  database: string,
  family: Family,
  block: NativeBlock,
  erasedUpTo: bigint,
): Promise<Comparison> {
  const sql = comparisonSql(database, family, erasedUpTo);
  const [row] = await warehouse.lookUp<ComparisonRow>(sql, block, 'previews');
  const { stored, unchanged, others, otherKeys, before, after, replaced } = row!;
  const keyNames = keyColumns(family).map(({ name }) => name);
  const valueNames = valueColumns(family).map(({ name }) => name);
  const named = ([name, ...values]: JsonMeasures): NamedMeasures => ({
    name,
    measures: recordOf(valueNames, values.map(numberOf)),
  });
  const summed = ([names, ...columns]: JsonSums): Sums => ({
    names,
    // The last column counts.
    columns: columns.slice(0, -1).map((values) => values.map(numberOf)),
  });
  return {
    stored,
    unchanged,
    otherCurrencies: { count: others, keys: otherKeys },
    before: summed(before),
    after: summed(after),
    replaced: replaced.map(([change, key, beforeOfKey, afterOfKey, requestId, uploadedAt]) => ({
      key: recordOf(keyNames, key),
      before: beforeOfKey.map(named),
      after: afterOfKey.map(named),
      requestId,
      uploadedAt,
      // Also of what is infinite before and after: JSON has neither infinity nor NaN.
      change: change === null ? Infinity : -change,
    })),
  };
}

/** JSON has no infinity: null. */
function numberOf(value: string | number | null): number | null {
  return value === null ? null : Number(value);
}

function recordOf<T>(names: readonly string[], values: readonly T[]): Record<string, T> {
  return Object.fromEntries(names.map((name, index) => [name, values[index]!]));
}

/** A name, then its sums; 64-bit integers come as text. */
type JsonMeasures = readonly [string, ...(string | number | null)[]];
/** The same of several names, column by column. */
type JsonSums = readonly [readonly string[], ...(readonly (string | number | null)[])[]];

interface ComparisonRow {
  readonly stored: number;
  readonly unchanged: number;
  readonly others: number;
  readonly otherKeys: readonly (readonly string[])[];
  readonly before: JsonSums;
  readonly after: JsonSums;
  readonly replaced: readonly (readonly [
    change: number | null,
    key: readonly string[],
    before: readonly JsonMeasures[],
    after: readonly JsonMeasures[],
    requestId: string,
    uploadedAt: string,
  ])[];
}

/** Elements of tuples are named by their places: old servers lose names of external tables. */
function comparisonSql(database: string, family: Family, erasedUpTo: bigint): string {
  const names = keyColumns(family).map(({ name }) => name);
  const key = names.join(', ');
  const keyTexts = names.map((name) => (name === 'date' ? `toString(${name})` : name)).join(', ');
  const amount = valueColumns(family).length + 1;
  const sums = (measures: string): string => {
    const columns = Array.from({ length: amount }, (_, at) => `each.${at + 1}`);
    // Names of which all sums are zero would be left out: each has a count too.
    const arrays = [...columns, '1'].map((value) => `arrayMap(each -> ${value}, ${measures})`);
    return `sumMap(${arrays.join(', ')})`;
  };
  return `
    SELECT
      toUInt32(countIf(is_stored)) AS stored,
      toUInt32(countIf(is_unchanged)) AS unchanged,
      toUInt32(countIf(has_other_currencies)) AS others,
      arraySlice(groupArrayIf(key, has_other_currencies), 1, ${MOST_OTHERS}) AS otherKeys,
      ${sums('measures_before')} AS before,
      ${sums('measures_after')} AS after,
      arraySlice(arraySort(groupArrayIf(
        (-if(isNaN(change), inf, change), key, measures_before, measures_after, request, uploaded),
        is_stored AND NOT is_unchanged
      )), 1, ${MOST_LISTED}) AS replaced
    FROM (
      SELECT
        [${keyTexts}] AS key,
        stored.version > 0 AS is_stored,
        is_stored AND ${isSame(family)} AS is_unchanged,
        if(is_stored, ${measuresOf(family, 'stored')}, []) AS measures_before,
        ${measuresOf(family, 'file')} AS measures_after,
        arraySum(
          name -> abs(
            arraySum(each -> if(each.1 = name, each.${amount}, 0), measures_after) -
            arraySum(each -> if(each.1 = name, each.${amount}, 0), measures_before)
          ),
          arrayDistinct(arrayMap(each -> each.1, arrayConcat(measures_before, measures_after)))
        ) AS change,
        ${hasOtherCurrencies(family)} AS has_other_currencies,
        toString(stored.request_id) AS request,
        formatDateTime(stored.uploaded_at, '%Y-%m-%dT%H:%i:%S') AS uploaded
      FROM asked AS file
      LEFT JOIN (
        SELECT * FROM ${database}.${family.table} FINAL
        WHERE (account, ${key}) IN (SELECT account, ${key} FROM asked)
          ${andNotErased(erasedUpTo)}
      ) AS stored USING (account, ${key})
    )
    SETTINGS
      optimize_move_to_prewhere_if_final = 1,
      join_use_nulls = 0,
      ${FOR_COMPARISONS}`;
}

/**
 * Whether a key holds the rows of the file, in whatever order. If CSV rows are stored, they alone
 * decide: sums depend on the order in which doubles are added. What the last columns of a file leave
 * blank may be missing at the end of the joined texts.
 */
function isSame(family: Family): string {
  const values = valueColumns(family).length;
  const rows = (table: string, column: string, elements: number): string => {
    const each = Array.from({ length: elements }, (_, at) => `row.${at + 1}`).join(', ');
    const texts = `trimRight(row.${elements + 1}, '\\0')`;
    return `arraySort(arrayMap(row -> (${each}, ${texts}), ${table}.${column}))`;
  };
  const same = (column: string, elements: number): string =>
    `${rows('file', column, elements)} = ${rows('stored', column, elements)}`;
  return `empty(file.csv_rows) = empty(stored.csv_rows) AND if(
    empty(file.csv_rows),
    ${same('combinations', values + ownTexts(family).length)},
    ${same('csv_rows', values)}
  )`;
}

function hasOtherCurrencies({ name }: Family): string {
  if (name !== 'cost') return 'false';
  const currencies = (measures: string): string =>
    `arraySort(arrayMap(each -> each.1, ${measures}))`;
  return `notEmpty(measures_before) AND notEmpty(measures_after)
    AND ${currencies('measures_before')} != ${currencies('measures_after')}`;
}

/** By currency or metric: its name and the sums of the key. */
function measuresOf({ name }: Family, table: string): string {
  if (name === 'cost') return `arrayMap(each -> (each.1, each.2, each.3, each.4), ${table}.totals)`;
  return `[(${table}.event_category, arraySum(row -> row.1, ${table}.combinations))]`;
}
