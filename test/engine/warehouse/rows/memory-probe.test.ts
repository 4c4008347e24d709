import { afterAll, beforeAll, expect, test } from '@jest/globals';

import { COST, type Family, SELF_SERVE } from '../../../../src/domain/families/index.js';
import { Arena } from '../../../../src/domain/memory.js';
import { storageBlock } from '../../../../src/warehouse/rows/storage-block.js';
import { probeBlock, sizeOfInsert } from '../../../../src/warehouse/rows/memory-probe.js';
import { ONE_PART } from '../../../../src/warehouse/one-part.js';
import { migrate } from '../../../../src/warehouse/schema/migrate.js';
import { identifier } from '../../../../src/warehouse/sql.js';
import type { NativeBlock } from '../../../../src/warehouse/warehouse.js';
import { ClickHouseHttp } from '../../../support/clickhouse/clickhouse-http.js';
import { csv, goodRow, verdictOn } from '../../../support/files/files.js';
import { connectTo } from '../../../support/chdb/warehouses.js';

/** A probe is of use only if it needs as much memory as the upload that it represents. */

let server: ClickHouseHttp;
beforeAll(async () => {
  server = await ClickHouseHttp.start();
  const warehouse = connectTo(server);
  await migrate(warehouse, 'custom_data');
  await warehouse.close();
});
afterAll(() => server.stop());

/** Returns whether the engine accepts the block within this much memory. */
async function takes(table: string, block: NativeBlock, bytes: number): Promise<boolean> {
  const names = block.columns.map(({ name }) => identifier(name)).join(', ');
  const parameters = new URLSearchParams({
    query: `INSERT INTO custom_data.${table} (${names}) FORMAT Native`,
    max_memory_usage: String(Math.round(bytes)),
    max_untracked_memory: '0',
  });
  for (const [name, value] of Object.entries(ONE_PART)) parameters.set(name, String(value));
  const answer = await fetch(`${server.url}/?${parameters.toString()}`, {
    method: 'POST',
    headers: {
      Authorization: `Basic ${Buffer.from(`${server.user}:${server.password}`).toString('base64')}`,
    },
    body: Buffer.concat(block.parts),
  });
  const text = await answer.text();
  if (!answer.ok && !text.startsWith('Code: 241')) throw new Error(text);
  return answer.ok;
}

/** Returns the bytes of memory that the engine needs for the block, to within 5 %. */
async function needOf(table: string, block: NativeBlock): Promise<number> {
  let [low, high] = [100_000, 2_000_000_000];
  while (high / low > 1.05) {
    const middle = Math.sqrt(low * high);
    if (await takes(table, block, middle)) high = middle;
    else low = middle;
  }
  return high;
}

const many = (count: number, values: (index: number) => Record<string, string>) =>
  Array.from({ length: count }, (_, index) => values(index));
const day = (index: number): string => `2026-03-0${1 + ((index * 7) % 9)}`;

test.each<[string, Family, Record<string, string>[]]>([
  ['a few keys', COST, many(10, (i) => ({ campaign: `c ${i}` }))],
  [
    'many keys',
    COST,
    many(10_000, (i) => ({ campaign: `c ${(i * 7_919) % 10_007}`, date: day(i) })),
  ],
  [
    'long texts, all rows of one key',
    COST,
    many(4_000, () => ({ ad_group: 'x'.repeat(100), ad_creative: 'y'.repeat(100) })),
  ],
  [
    'as many metrics as rows',
    SELF_SERVE,
    many(60_000, (i) => ({ event_category: `m${(i * 7_919) % 60_013}`, date: day(i) })),
  ],
])('of an upload with %s', async (_, family, rows) => {
  const verdict = verdictOn(family.name, csv(rows.map((row) => goodRow(family.name, row))));
  if (!verdict.valid) throw new Error(verdict.reason);
  const upload = {
    requestId: '0193c2f0-1a2b-7c3d-8e4f-a5b6c7d8e9fa',
    account: 'acme',
    version: 7n,
    uploadedAt: 1_750_000_000,
    prepared: verdict.upload,
  };
  const block = storageBlock(family, [upload], new Arena());
  const need = await needOf(family.table, block);
  const probe = await needOf('insert_probes', probeBlock(sizeOfInsert(upload)));
  expect(probe).toBeGreaterThan(need * 0.95);
  // A probe that needs several times the memory proves nothing.
  expect(probe).toBeLessThan(need * 2.5 + 10_000_000);
});
