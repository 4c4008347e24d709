import { blockOf, column, STRING } from '../native/block.js';
import type { Warehouse } from '../warehouse.js';
import { andNotErased, FOR_WARNINGS } from './preview-queries.js';

/** By column of both families, how its values are selected. */
const SELECTS = { channel: 'channel', os_name: 'arrayJoin(combinations.os_name)' } as const;

export type KnownColumn = keyof typeof SELECTS;

/** With more, a column's values are not known. */
const MOST_VALUES = 10_000;

/**
 * The values of a column that an account has uploaded; undefined: too many.
 *
 * @param erasedUpTo see `andNotErased`
 * @throws WarehouseError
 */
export async function knownValues(
  warehouse: Warehouse,
  database: string,
  account: string,
  of: KnownColumn,
  erasedUpTo: bigint,
): Promise<readonly string[] | undefined> {
  const from = (table: string): string =>
    `SELECT ${SELECTS[of]} AS value FROM ${database}.${table}
     WHERE account IN (SELECT account FROM asked) ${andNotErased(erasedUpTo)}`;
  const rows = await warehouse.lookUp<{ value: string }>(
    `SELECT DISTINCT value FROM (${from('cost')} UNION ALL ${from('self_serve')})
     WHERE value != '' LIMIT ${MOST_VALUES + 1}
     SETTINGS ${FOR_WARNINGS}`,
    blockOf([column('account', STRING, [account])], 1),
    'previews',
  );
  return rows.length > MOST_VALUES ? undefined : rows.map(({ value }) => value);
}

/** Which of an account's metrics are archived. @throws WarehouseError */
export async function archivedAmong(
  warehouse: Warehouse,
  database: string,
  account: string,
  metrics: readonly string[],
): Promise<readonly string[]> {
  const accounts = metrics.map(() => account);
  const rows = await warehouse.lookUp<{ name: string }>(
    `SELECT name FROM ${database}.metric_archivals FINAL
     WHERE archived AND (account, name) IN (SELECT account, name FROM asked)
     ORDER BY name
     SETTINGS ${FOR_WARNINGS}`,
    blockOf([column('account', STRING, accounts), column('name', STRING, metrics)], metrics.length),
    'previews',
  );
  return rows.map(({ name }) => name);
}
