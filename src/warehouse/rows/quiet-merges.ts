import { FAMILIES } from '../../domain/families/index.js';
import { Backoff, sleep } from '../../domain/retry.js';
import type { Logger } from '../../ops/logger.js';
import { background, type Component } from '../../ops/components.js';
import { refusalOf } from '../refusal.js';
import { identifier, text } from '../sql.js';
import { type Warehouse, WarehouseError } from '../warehouse.js';

const LOOK_MS = 5_000;
/** The longest pause after looks or merges that failed, each of which counts as an error. */
const LONGEST_PAUSE_MS = 3_600_000;
const QUIET_SECONDS = 10;
/** Larger tables are left to the engine. To merge so much takes about half a minute. */
const MOST_BYTES = 2 ** 30;
/** How many times as large as all other parts the largest one may be: a merge writes nine times what is new. */
const LARGEST_TO_OTHERS = 8;

interface PartsOfTable {
  readonly parts: number;
  readonly bytes: number;
  readonly largest: number;
  /** Seconds since a part was last written or merged. */
  readonly age: number;
  /** Merges under way. */
  readonly merges: number;
}

/** The defaults are those of the service; tests are in a hurry. */
interface QuietMergesOptions {
  readonly lookMs?: number;
  /** A table is quiet when no part is younger and none is being merged. */
  readonly quietSeconds?: number;
}

/**
 * Merges each storage table to one part when writing has paused. The engine would leave up to ten
 * parts of about the same size (`merge_selector_base`), and a report has to compare the keys of all
 * of them. On a cluster the tables have no parts of their own, and nothing is merged.
 */
export function mergeWhenQuiet(
  warehouse: Warehouse,
  database: string,
  logger: Logger,
  { lookMs = LOOK_MS, quietSeconds = QUIET_SECONDS }: QuietMergesOptions = {},
): Component {
  return background(async (signal) => {
    const isStopped = (): boolean => signal.aborted;
    const backoff = new Backoff(2 * lookMs, LONGEST_PAUSE_MS);
    const mergeQuiet = async (table: string): Promise<void> => {
      const isWorth = await isWorthMerging(warehouse, database, table, quietSeconds);
      if (!isWorth || isStopped()) return;
      await warehouse.execute(
        // Another process may have merged them meanwhile.
        `OPTIMIZE TABLE ${identifier(database)}.${table} FINAL SETTINGS optimize_skip_merged_partitions = 1`,
      );
      backoff.reset();
    };
    let pauseMs = lookMs;
    for (;;) {
      await sleep(pauseMs, signal);
      if (isStopped()) return;
      try {
        for (const { table } of FAMILIES) await mergeQuiet(table);
        pauseMs = lookMs;
      } catch (error) {
        if (!(error instanceof WarehouseError)) throw error;
        // Closing the embedded engine gives up a merge.
        if (isStopped()) return;
        const { code, message: reason } = error;
        logger.warn({ code, reason }, 'parts are not merged when writing pauses');
        // Without the right, every attempt would tell operators of a refusal.
        pauseMs = refusalOf(error) === undefined ? backoff.next() : LONGEST_PAUSE_MS;
      }
    }
  });
}

async function isWorthMerging(
  warehouse: Warehouse,
  database: string,
  table: string,
  quietSeconds: number,
): Promise<boolean> {
  const ofTable = `database = ${text(database)} AND table = ${text(table)}`;
  const [found] = await warehouse.query<PartsOfTable>(
    `SELECT
       toUInt32(count()) AS parts,
       toFloat64(sum(bytes_on_disk)) AS bytes,
       toFloat64(max(bytes_on_disk)) AS largest,
       toUInt32(greatest(0, dateDiff('second', max(modification_time), now()))) AS age,
       toUInt32((SELECT count() FROM system.merges WHERE ${ofTable})) AS merges
     FROM system.parts WHERE ${ofTable} AND active`,
  );
  if (found === undefined) return false;
  const { parts, bytes, largest, age, merges } = found;
  return (
    parts > 1 &&
    age >= quietSeconds &&
    merges === 0 &&
    bytes <= MOST_BYTES &&
    largest <= LARGEST_TO_OTHERS * (bytes - largest)
  );
}
