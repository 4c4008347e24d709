import { CONSUMER_GROUPS, type UploadLog } from '../../log/upload-log.js';
import { Backoff, sleep } from '../../domain/retry.js';
import { timeOfVersion } from '../../domain/version.js';
import { startApplier } from '../../log/record-applier.js';
import type { Component } from '../../ops/components.js';
import type { Logger } from '../../ops/logger.js';
import type { RowStore } from '../../warehouse/row-store.js';
import type { StoredTables } from '../../warehouse/rows/delete-where.js';
import { waitsForWarehouse } from '../../warehouse/warehouse.js';
import { type AccountErasure, erasureOf } from './account-erasure.js';
import { eraseRows } from './erase-rows.js';

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;

export interface EraserDependencies extends StoredTables {
  readonly rows: RowStore;
  readonly log: UploadLog;
  /** How long a statement that began before the order may still change a table. */
  readonly statementMs: number;
  readonly logger: Logger;
}

/**
 * Erases accounts from the tables, as operators order it. The log's records go with its retention.
 */
export function startEraser(dependencies: EraserDependencies): Promise<Component> {
  return startApplier(dependencies.log, {
    ...CONSUMER_GROUPS.erasure,
    isPassing: waitsForWarehouse('an erasure waits for the warehouse', dependencies.logger),
    async apply(records, signal) {
      const erasures = records.flatMap((record) => erasureOf(record) ?? []);
      for (const erasure of erasures) {
        // 1. Every process that starts now reads it in the table; those that run have read it in
        // the log.
        await dependencies.rows.writeErasure(erasure);
        // 2. The rows that are there are deleted at once.
        await eraseRows(dependencies, erasure);
      }
      for (const erasure of erasures) await finish(dependencies, erasure, signal);
    },
  });
}

async function finish(
  dependencies: EraserDependencies,
  erasure: AccountErasure,
  signal: AbortSignal,
): Promise<void> {
  const { logger, statementMs } = dependencies;
  const { account, version, at } = erasure;
  // 3. Statements that were under way have ended by then. What they wrote is deleted as well.
  const settledAt = Math.max(timeOfVersion(version), at + statementMs);
  await sleep(Math.max(0, settledAt - Date.now()), signal);
  const backoff = new Backoff(FIRST_PAUSE_MS, LONGEST_PAUSE_MS);
  while (!signal.aborted && (await eraseRows(dependencies, erasure)) > 0) {
    await sleep(backoff.next(), signal);
  }
  signal.throwIfAborted();
  logger.info({ account }, 'account erased');
}
