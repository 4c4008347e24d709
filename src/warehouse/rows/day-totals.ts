import { type Family, keyColumns } from '../../domain/families/index.js';
import { MOST_ASKED, type NativeBlock, type Warehouse } from '../warehouse.js';
import { andNotErased, FOR_WARNINGS } from './preview-queries.js';

/** The sum of cost or event_value of a day and channel, of one currency or metric. */
export interface StoredDayTotal {
  readonly day: string;
  readonly channel: string;
  /** The currency, or the metric. */
  readonly name: string;
  readonly amount: number;
}

/** JSON has no infinity: null. */
type MaybeTotal = Omit<StoredDayTotal, 'amount'> & { readonly amount: number | null };

/** Totals that would be made of more keys are refused before anything is read. */
const MOST_READ = 1_000_000;
/** With more totals, there is no warning about them. */
const MOST_TOTALS = MOST_ASKED - 1;

/**
 * The stored totals of the block's channels, from some days before its first day to its last,
 * without the keys of the block; undefined: too many. Keys are told apart by a hash, which takes half
 * the time: two of a million with the same one would make a total a little lower, in a warning.
 *
 * @param block of one account, see `keyBlock`; a look-up may read it several times
 * @param erasedUpTo see `andNotErased`
 * @throws WarehouseError
 */
export async function storedDayTotals(
  warehouse: Warehouse,
  database: string,
  family: Family,
  block: NativeBlock,
  daysBefore: number,
  erasedUpTo: bigint,
): Promise<readonly StoredDayTotal[] | undefined> {
  const key = keyColumns(family)
    .map(({ name }) => name)
    .join(', ');
  const [name, joined] =
    family.name === 'cost'
      ? ['currency', 'totals.currency AS currency, totals.cost AS value']
      : ['event_category', 'combinations.event_value AS value'];
  // Metrics that the file has not are left out.
  const sameMetric =
    family.name === 'cost' ? '' : 'AND event_category IN (SELECT event_category FROM asked)';
  const rows = await warehouse.lookUp<MaybeTotal>(
    `SELECT toString(date) AS day, channel, ${name} AS name, sum(value) AS amount
     FROM ${database}.${family.table} FINAL
     ARRAY JOIN ${joined}
     WHERE account IN (SELECT account FROM asked)
       AND channel IN (SELECT channel FROM asked)
       ${sameMetric}
       AND date >= (SELECT toDate(greatest(toInt32(min(date)) - ${daysBefore}, 0)) FROM asked)
       AND date <= (SELECT max(date) FROM asked)
       AND cityHash64(${key}) NOT IN (SELECT cityHash64(${key}) FROM asked)
       ${andNotErased(erasedUpTo)}
     GROUP BY date, channel, name
     LIMIT ${MOST_TOTALS + 1}
     SETTINGS
       optimize_move_to_prewhere_if_final = 1,
       max_rows_to_read = ${MOST_READ},
       ${FOR_WARNINGS}`,
    block,
    'previews',
  );
  if (rows.length > MOST_TOTALS) return undefined;
  return rows.filter((row): row is StoredDayTotal => row.amount !== null);
}
