import { expect, test } from '@jest/globals';
import { pino } from 'pino';

import { COST } from '../../../src/domain/families/index.js';
import { lastVersionAt } from '../../../src/domain/version.js';
import { eraseRows } from '../../../src/operator/erasure/erase-rows.js';
import { mergeWhenQuiet } from '../../../src/warehouse/rows/quiet-merges.js';
import { SqlRowStore } from '../../../src/warehouse/rows/sql-row-store.js';
import { migrate } from '../../../src/warehouse/schema/migrate.js';
import { connectTo } from '../../support/chdb/warehouses.js';
import type { ClickHouseHttp } from '../../support/clickhouse/clickhouse-http.js';
import { withUserOf } from '../../support/clickhouse/users.js';
import { Page } from '../../support/documents/page.js';
import { csv, goodRow, verdictOn } from '../../support/files/files.js';
import { until } from '../../support/until.js';

/**
 * The rights that the operations page gives the service's user on a ClickHouse server. The engine
 * of the tests never asks for `TABLE ENGINE` and for rights to system tables.
 */

const DATABASE = 'custom_data';
const SILENT = pino({ level: 'silent' });
const AT_ONCE = { lookMs: 50, quietSeconds: 0 };
const ELSEWHERE = [
  'GRANT TABLE ENGINE ON *',
  'GRANT SELECT ON system.parts',
  'GRANT SELECT ON system.merges',
];
const onDatabase = new Page('operations.md')
  .tableUnder('### ClickHouse')
  .map(([, cell]) => cell!.split(' on the database')[0]!)
  .flatMap((rights) => [...rights.matchAll(/`([^`]+)`/g)].map(([, right]) => right!));

/** Makes the schema, stores two uploads of the same keys, merges and erases them. */
function useWith(rights: readonly string[]): Promise<void> {
  return withUserOf([`GRANT ${rights.join(', ')} ON ${DATABASE}.*`, ...ELSEWHERE], use);
}

async function use(server: ClickHouseHttp): Promise<void> {
  const warehouse = connectTo(server);
  await migrate(warehouse, DATABASE);

  const verdict = verdictOn('cost', csv([goodRow('cost')]));
  if (!verdict.valid) throw new Error(verdict.reason);
  const rows = new SqlRowStore(warehouse, DATABASE);
  const now = Date.now();
  for (const at of [now - 1_000, now]) {
    const upload = {
      requestId: '0193c2f0-1a2b-7c3d-8e4f-a5b6c7d8e9fa',
      account: 'acme',
      version: lastVersionAt(at),
      uploadedAt: Math.floor(at / 1000),
      prepared: verdict.upload,
    };
    await rows.writeBatch(COST, [upload]);
    expect(await rows.readBack(COST, [upload])).toEqual(new Map([[upload.version, 1]]));
  }

  const parts = async (): Promise<number> => {
    const [row] = await server.query<{ parts: number }>(
      `SELECT toUInt32(count()) AS parts FROM system.parts
       WHERE database = '${DATABASE}' AND table = 'cost' AND active`,
    );
    return row!.parts;
  };
  expect(await parts()).toBe(2);
  const merging = mergeWhenQuiet(warehouse, DATABASE, SILENT, AT_ONCE);
  await until(async () => (await parts()) === 1, 50);
  await merging.stop();

  const tables = { warehouse, database: DATABASE, cluster: undefined };
  const erasure = { account: 'acme', version: lastVersionAt(now), actor: 'operator:me', at: now };
  expect(await eraseRows(tables, erasure)).toBeGreaterThan(0);
  expect(await server.query('SELECT 1 FROM cost')).toEqual([]);
  await warehouse.close();
}

test('the schema is made, uploads are stored, merged and erased', () => useWith(onDatabase));

test.each(['INSERT', 'ALTER DELETE'])('not without %s', async (right) => {
  expect(onDatabase).toContain(right);
  const lacking = onDatabase.filter((each) => each !== right);
  await expect(useWith(lacking)).rejects.toThrow('ACCESS_DENIED');
});
