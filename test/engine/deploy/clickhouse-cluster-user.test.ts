import { expect, test } from '@jest/globals';

import { COST } from '../../../src/domain/families/index.js';
import { lastVersionAt } from '../../../src/domain/version.js';
import { eraseRows } from '../../../src/operator/erasure/erase-rows.js';
import { SqlRowStore } from '../../../src/warehouse/rows/sql-row-store.js';
import { migrate } from '../../../src/warehouse/schema/migrate.js';
import { connectTo } from '../../support/chdb/warehouses.js';
import type { ClickHouseHttp } from '../../support/clickhouse/clickhouse-http.js';
import { withUserOf } from '../../support/clickhouse/users.js';
import { withoutKeeper } from '../../support/clickhouse/without-keeper.js';
import { csv, goodRow, verdictOn } from '../../support/files/files.js';
import { CLUSTER, envOf, hosts, page, serverXml, userStatements } from './cluster-page.js';

/**
 * The user of docs/clickhouse-cluster.md on deploy/clickhouse/cluster. One process plays every
 * server, and takes users from its configuration alone. It never asks for the rights `CLUSTER`,
 * `REMOTE` and `TABLE ENGINE`.
 */

const grants = userStatements
  .filter((statement) => statement.startsWith('GRANT'))
  .map((statement) => statement.replace(` ON CLUSTER '${CLUSTER}'`, '').replace(/ TO \w+$/, ''));

/** Makes the schema, stores an upload, reads it back and erases it, with these rights. */
function useWith(rights: readonly string[]): Promise<void> {
  const config = serverXml
    .replace(/<host>clickhouse-\d-\d</g, '<host>127.0.0.1<')
    .replace('</clickhouse>', '<tcp_port>9000</tcp_port></clickhouse>');
  return withUserOf(rights, use, { config, env: envOf(hosts[0]!) });
}

async function use(server: ClickHouseHttp): Promise<void> {
  const warehouse = withoutKeeper(connectTo(server));
  await migrate(warehouse, 'custom_data', CLUSTER);
  const stored = await server.query(
    `SELECT name FROM system.tables WHERE database = 'custom_data' AND endsWith(name, '_local')`,
  );
  expect(stored).toHaveLength(9);
  expect(page.text).toContain('Every server then has nine replicated tables.');

  const verdict = verdictOn('cost', csv([goodRow('cost')]));
  if (!verdict.valid) throw new Error(verdict.reason);
  const at = Date.now();
  const upload = {
    requestId: '0193c2f0-1a2b-7c3d-8e4f-a5b6c7d8e9fa',
    account: 'acme',
    version: lastVersionAt(at),
    uploadedAt: Math.floor(at / 1000),
    prepared: verdict.upload,
  };
  const rows = new SqlRowStore(warehouse, 'custom_data');
  await rows.writeBatch(COST, [upload]);
  expect(await rows.readBack(COST, [upload])).toEqual(new Map([[upload.version, 1]]));
  const tables = { warehouse, database: 'custom_data', cluster: CLUSTER };
  const erasure = { account: 'acme', version: upload.version, actor: 'operator:me', at };
  expect(await eraseRows(tables, erasure)).toBeGreaterThan(0);
  expect(await rows.readBack(COST, [upload])).toEqual(new Map());
  await warehouse.close();
}

test('the schema is made, an upload is stored, read back and erased', () => useWith(grants));

test.each(['CREATE TABLE', 'SELECT', 'ALTER DELETE'])('not without %s', async (right) => {
  const lacking = grants.map((each) => each.replace(`${right}, `, ''));
  expect(lacking).not.toEqual(grants);
  await expect(useWith(lacking)).rejects.toThrow('ACCESS_DENIED');
});
