import { afterAll, beforeAll, expect, test } from '@jest/globals';

import { COST } from '../../../src/domain/families/index.js';
import { BlockRoom } from '../../../src/ingest/write/block-memory.js';
import { readBack } from '../../../src/ingest/write/read-back.js';
import { storageBlock, type UploadToStore } from '../../../src/ingest/write/storage-block.js';
import { migrate } from '../../../src/warehouse/schema/migrate.js';
import type { Warehouse } from '../../../src/warehouse/warehouse.js';
import { ClickHouseHttp } from '../../helpers/clickhouse-http.js';
import { connectTo } from '../../helpers/warehouses.js';
import { csv, goodRow, verdictOn } from '../../helpers/files.js';

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

/** The uploads of a batch, the first at `version`, each of one account with the same keys. */
function batchOf(size: number, account: string, version: bigint): UploadToStore[] {
  const verdict = verdictOn('cost', csv([goodRow('cost')]));
  if (!verdict.valid) throw new Error(verdict.reason);
  const prepared = verdict.upload;
  return Array.from({ length: size }, (_, index) => ({
    requestId: '0193c2f0-1a2b-7c3d-8e4f-a5b6c7d8e9fa',
    account,
    version: version + BigInt(index),
    uploadedAt: 1_750_000_000,
    prepared,
  }));
}

test('a batch of more uploads than one query can name is read back', async () => {
  const uploads = batchOf(7_000, 'many', 2n ** 127n).map((upload, index) => ({
    ...upload,
    account: `account-${index}`,
  }));
  const stored = uploads.slice(0, -1);
  await warehouse.insert('cost', storageBlock(COST, stored, new BlockRoom()));
  const { rows, absent } = await readBack(warehouse, 'custom_data', COST, uploads);
  expect(rows.size).toBe(stored.length);
  expect(absent).toEqual(uploads.slice(-1));
});

test('uploads of which a later one has replaced every key cost one query together', async () => {
  const uploads = [...batchOf(40, 'often', 1_000n), ...batchOf(2, 'seldom', 2_000n)];
  // What a merge leaves of the first account, and nothing of the last upload of the second.
  const left = [uploads[39]!, uploads[40]!];
  await warehouse.insert('cost', storageBlock(COST, left, new BlockRoom()));
  let queries = 0;
  const counting = new Proxy(warehouse, {
    get: (target, name) => {
      if (name === 'query') queries++;
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
  const { rows, absent } = await readBack(counting, 'custom_data', COST, uploads);
  expect(absent).toEqual([uploads[41]]);
  expect([...rows]).toEqual(
    expect.arrayContaining(
      uploads.slice(0, 41).map(({ version, prepared }) => [version, prepared.rows]),
    ),
  );
  expect(queries).toBe(2);
});
