import { timeOfVersion } from '../../domain/version.js';
import { deleteWhere, type StoredTables } from '../../warehouse/rows/delete-where.js';
import { text } from '../../warehouse/sql.js';
import type { AccountErasure } from './account-erasure.js';

/**
 * The rows of an account in a table that are as old as its erasure. `audit_events` stays: it holds
 * no values.
 */
const COVERED: Readonly<Record<string, (erasure: AccountErasure) => string>> = {
  cost: byVersion,
  self_serve: byVersion,
  request_transitions: byVersion,
  metric_sightings: ({ version }) => `last_seen < toDateTime(${secondsOf(version)}, 'UTC')`,
  metric_archivals: ({ version }) => `changed_at < toDateTime(${secondsOf(version)}, 'UTC')`,
};

/**
 * Deletes the account's rows from the tables. Resolves when every replica has done so.
 *
 * @returns how many rows were found; 0 when there was nothing to delete
 * @throws WarehouseError
 */
export async function eraseRows(tables: StoredTables, erasure: AccountErasure): Promise<number> {
  let found = 0;
  for (const [table, covered] of Object.entries(COVERED)) {
    // Of an operator's order, and a plain word: see `ACCOUNT_NAME`.
    const condition = `account = ${text(erasure.account)} AND ${covered(erasure)}`;
    found += await deleteWhere(tables, table, condition);
  }
  return found;
}

function byVersion({ version }: AccountErasure): string {
  return `version <= toUInt128('${version}')`;
}

function secondsOf(version: bigint): number {
  return Math.floor(timeOfVersion(version) / 1000);
}
