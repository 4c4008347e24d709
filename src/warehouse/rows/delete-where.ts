import { storedTable } from '../schema/placeholders.js';
import { identifier } from '../sql.js';
import type { Warehouse } from '../warehouse.js';

export interface StoredTables {
  readonly warehouse: Warehouse;
  readonly database: string;
  /** Undefined: a single server. */
  readonly cluster: string | undefined;
}

/**
 * Deletes rows of a table once one of them is due. Resolves when every replica has done so.
 *
 * @param due a condition on the rows; if not given, all are due
 * @param signal once it is aborted, no further statement begins
 * @returns how many rows were found; 0 when none was due
 * @throws WarehouseError, or the reason of `signal`
 */
export async function deleteWhere(
  { warehouse, database, cluster }: StoredTables,
  table: string,
  condition: string,
  due = '1',
  signal?: AbortSignal,
): Promise<number> {
  signal?.throwIfAborted();
  const [found] = await warehouse.query<{ rows: string; due: string }>(
    `SELECT count() AS rows, countIf(${due}) AS due
     FROM ${identifier(database)}.${identifier(table)} WHERE ${condition}`,
  );
  if (Number(found?.due ?? 0) === 0) return 0;
  signal?.throwIfAborted();
  await warehouse.execute(
    `ALTER TABLE ${storedTable(database, table, cluster)} DELETE WHERE ${condition} ` +
      'SETTINGS mutations_sync = 2',
  );
  return Number(found?.rows);
}
