import { blockOf, column, STRING } from '../native/block.js';
import type { Warehouse } from '../warehouse.js';

/**
 * A condition that leaves out rows of an account that is being erased.
 *
 * @param erasedUpTo the last version that goes; 0: nothing goes
 */
export function andNotErased(erasedUpTo: bigint): string {
  return erasedUpTo === 0n ? '' : `AND version > toUInt128('${erasedUpTo}')`;
}

/** Settings of a preview's queries, which must not disturb the row path: one thread, 96 MiB. */
const LIMITS = 'max_threads = 1, max_memory_usage = 100663296';

/** For comparisons: the preview still has time to say that the file is too large for one. */
export const FOR_COMPARISONS = `${LIMITS}, max_execution_time = 5`;

/** For what only warnings need: the preview goes on without it, and has time left for that. */
export const FOR_WARNINGS = `${LIMITS}, max_execution_time = 3`;

/**
 * To be called after a preview's query that ran out of memory. Asks for less, 16 MB. If this
 * succeeds, the query was too large; otherwise the warehouse has no memory.
 *
 * @throws WarehouseError
 */
export async function askForMemory(warehouse: Warehouse): Promise<void> {
  await warehouse.lookUp(
    `SELECT length(groupArray(number)) AS length FROM numbers(2000000)
     SETTINGS ${LIMITS}, max_execution_time = 1`,
    blockOf([column('account', STRING, [''])], 1),
    'previews',
  );
}
