import { afterAll, beforeAll, expect, test } from '@jest/globals';

import { COST } from '../../src/domain/families/index.js';
import { readBack } from '../../src/ingest/write/read-back.js';
import { storageBlock } from '../../src/ingest/write/storage-block.js';
import { migrate } from '../../src/warehouse/schema/migrate.js';
import type { Warehouse } from '../../src/warehouse/warehouse.js';
import { ClickHouseHttp } from '../helpers/clickhouse-http.js';
import { connectTo } from '../helpers/warehouses.js';
import { csv, goodRow, verdictOn } from '../ingest/files.js';

let server: ClickHouseHttp;
let warehouse: Warehouse;
beforeAll(async () => {
  server = await ClickHouseHttp.start();
  warehouse = connectTo(server);
  await migrate(warehouse, 'custom_data');
});
afterAll(async () => {
  await warehouse.close();
  await server.stop();
});

test('a batch of more uploads than one query can name is read back', async () => {
  const verdict = verdictOn('cost', csv([goodRow('cost')]));
  if (!verdict.valid) throw new Error(verdict.reason);
  const uploads = Array.from({ length: 7_000 }, (_, index) => ({
    requestId: '0193c2f0-1a2b-7c3d-8e4f-a5b6c7d8e9fa',
    account: `account ${index}`,
    version: 2n ** 127n + BigInt(index),
    uploadedAt: 1_750_000_000,
    prepared: verdict.upload,
  }));
  const stored = uploads.slice(0, -1);
  await warehouse.insert('cost', storageBlock(COST, stored));
  const { rows, absent } = await readBack(warehouse, 'custom_data', COST, uploads);
  expect(rows.size).toBe(stored.length);
  expect(absent).toEqual(uploads.slice(-1));
});
