import { afterAll, beforeAll, expect, test } from '@jest/globals';

import { COST } from '../../../src/domain/families/index.js';
import type { PreparedUpload } from '../../../src/csv/verdict.js';
import { Arena } from '../../../src/domain/memory.js';
import { storageBlock } from '../../../src/warehouse/rows/storage-block.js';
import { readBack } from '../../../src/warehouse/rows/read-back.js';
import type { UploadToStore } from '../../../src/warehouse/row-store.js';
import { migrate } from '../../../src/warehouse/schema/migrate.js';
import type { NativeBlock, Warehouse } from '../../../src/warehouse/warehouse.js';
import { ClickHouseHttp } from '../../support/clickhouse/clickhouse-http.js';
import { passingOn } from '../../support/chdb/warehouse.js';
import { connectTo } from '../../support/chdb/warehouses.js';
import { csv, goodRow, verdictOn } from '../../support/files/files.js';

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

function preparedOf(...campaigns: string[]): PreparedUpload {
  const verdict = verdictOn(
    'cost',
    csv(campaigns.map((campaign) => goodRow('cost', { campaign }))),
  );
  if (!verdict.valid) throw new Error(verdict.reason);
  return verdict.upload;
}

/** Returns the uploads of a batch: one account, the same keys, versions from `version` upwards. */
function batchOf(size: number, account: string, version: bigint): UploadToStore[] {
  const prepared = preparedOf('Spring');
  return Array.from({ length: size }, (_, index) => ({
    requestId: '0193c2f0-1a2b-7c3d-8e4f-a5b6c7d8e9fa',
    account,
    version: version + BigInt(index),
    uploadedAt: 1_750_000_000,
    prepared,
  }));
}

/** What is read back when all rows of the uploads, and of no others, are there or superseded. */
function rowsOf(uploads: readonly UploadToStore[]): Map<bigint, number> {
  return new Map(uploads.map(({ version, prepared }) => [version, prepared.rows]));
}

test('a batch of more uploads than one query can name is read back', async () => {
  const uploads = batchOf(7_000, 'many', 2n ** 127n).map((upload, index) => ({
    ...upload,
    account: `account-${index}`,
  }));
  const stored = uploads.slice(0, -1);
  await warehouse.insert('cost', storageBlock(COST, stored, new Arena()));
  const rows = await readBack(warehouse, 'custom_data', COST, uploads);
  expect(rows).toEqual(rowsOf(stored));
});

test('uploads of which a later one has replaced every key cost one query together', async () => {
  const uploads = [...batchOf(40, 'often', 1_000n), ...batchOf(2, 'seldom', 2_000n)];
  // A merge keeps the last upload of the first account. The last one of the second is missing.
  const left = [uploads[39]!, uploads[40]!];
  await warehouse.insert('cost', storageBlock(COST, left, new Arena()));
  const answers: unknown[][] = [];
  const counting = passingOn(warehouse, {
    async lookUp<Row>(sql: string, asked: NativeBlock) {
      const rows = await warehouse.lookUp<Row>(sql, asked);
      answers.push(rows);
      return rows;
    },
  });
  const rows = await readBack(counting, 'custom_data', COST, uploads);
  expect(rows).toEqual(rowsOf(uploads.slice(0, 41)));
  expect(answers).toHaveLength(2);
});

test('a replay asks for its own keys alone, of however many the account has', async () => {
  await warehouse.execute(
    `INSERT INTO custom_data.cost (account, date, channel, campaign, version)
     SELECT 'large', '2026-03-01', 'Search', concat('Spring ', toString(number)), 5000
     FROM numbers(3000000)`,
  );
  const replayed = batchOf(50, 'large', 3_000n).map((upload, index) => ({
    ...upload,
    prepared: preparedOf(`Spring ${index}`, `Spring ${2_000_000 + index}`),
  }));
  const lost = { ...replayed[0]!, version: 3_050n, prepared: preparedOf('Spring 1', 'Autumn') };
  let answered = 0;
  const counting = passingOn(warehouse, {
    async lookUp<Row>(sql: string, asked: NativeBlock) {
      const rows = await warehouse.lookUp<Row>(sql, asked);
      answered += rows.length;
      return rows;
    },
  });
  const rows = await readBack(counting, 'custom_data', COST, [...replayed, lost]);
  expect(rows).toEqual(rowsOf(replayed));
  expect(answered).toBeLessThanOrEqual(replayed.length + 1);
});

test('a key that a replay stored twice does not count for one that was replaced', async () => {
  const [some] = batchOf(1, 'twice', 9_000n) as [UploadToStore];
  const store = (version: bigint, ...campaigns: string[]): Promise<void> => {
    const upload = { ...some, version, prepared: preparedOf(...campaigns) };
    return warehouse.insert('cost', storageBlock(COST, [upload], new Arena()));
  };
  const found = async (version: bigint, ...campaigns: string[]): Promise<number | undefined> => {
    const upload = { ...some, version, prepared: preparedOf(...campaigns) };
    return (await readBack(warehouse, 'custom_data', COST, [upload])).get(version);
  };
  await warehouse.execute('SYSTEM STOP MERGES custom_data.cost');
  await store(9_000n, 'Winter', 'Winter', 'Winter');
  await store(9_000n, 'Winter', 'Winter', 'Winter');
  await store(8_000n, 'Summer');
  expect(await found(9_000n, 'Winter', 'Winter', 'Winter', 'Summer')).toBeUndefined();
  await store(9_001n, 'Summer');
  expect(await found(9_000n, 'Winter', 'Winter', 'Winter', 'Summer')).toBe(4);
  // Where nothing was replaced, rows that are wrong stay wrong.
  await store(9_100n, 'Winter', 'Winter', 'Spring');
  expect(await found(9_100n, 'Winter', 'Winter', 'Winter', 'Spring')).toBe(3);
  await warehouse.execute('SYSTEM START MERGES custom_data.cost');
});
