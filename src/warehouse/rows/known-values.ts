import { blockOf, column, STRING } from '../native/block.js';
import type { Warehouse } from '../warehouse.js';
import { FOR_WARNINGS } from './aside.js';

/** Channels and os_names that an account has uploaded. */
export interface KnownValues {
  readonly channel: readonly string[];
  readonly os_name: readonly string[];
}

/** More are not compared with. */
export const MOST_VALUES = 10_000;

/** @throws WarehouseError */
export async function knownValues(
  warehouse: Warehouse,
  database: string,
  account: string,
): Promise<KnownValues> {
  const asked = blockOf([column('account', STRING, [account])], 1);
  const ofBoth = async (select: string): Promise<readonly string[]> => {
    const from = (table: string): string =>
      `SELECT ${select} AS value FROM ${database}.${table} WHERE account IN (SELECT account FROM asked)`;
    const rows = await warehouse.lookUp<{ value: string }>(
      `SELECT DISTINCT value FROM (${from('cost')} UNION ALL ${from('self_serve')})
       WHERE value != '' LIMIT ${MOST_VALUES}
       SETTINGS ${FOR_WARNINGS}`,
      asked,
      'previews',
    );
    return rows.map(({ value }) => value);
  };
  return {
    channel: await ofBoth('channel'),
    os_name: await ofBoth('arrayJoin(combinations.os_name)'),
  };
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
