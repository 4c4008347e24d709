import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, expect, test } from '@jest/globals';

import { ChdbWarehouse } from '../../../../src/warehouse/chdb/chdb-warehouse.js';
import { blockOf, column, UINT32 } from '../../../../src/warehouse/native/block.js';
import { until } from '../../../support/until.js';

let dataDir: string;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'custom-data-warehouse-'));
});
afterEach(() => rm(dataDir, { recursive: true, force: true }));

test('close waits for what is in flight, and what was stored is there after it', async () => {
  const first = await ChdbWarehouse.open(dataDir, 'custom_data');
  await first.execute('CREATE TABLE custom_data.t (n UInt32) ENGINE = MergeTree ORDER BY n');
  const values = Array.from({ length: 100_000 }, (_, index) => index);
  const block = blockOf([column('n', UINT32, values)], values.length);
  const inserts = Array.from({ length: 8 }, () => first.insert('t', block));
  await first.close();
  await Promise.all(inserts);

  const second = await ChdbWarehouse.open(dataDir, 'custom_data');
  expect(await second.query('SELECT count() AS rows FROM custom_data.t')).toEqual([
    { rows: '800000' },
  ]);
  await second.close();
});

test('close gives up a merge, and the next one merges', async () => {
  const rows = 1_500_000;
  const parts = `SELECT toUInt32(count()) AS parts FROM system.parts WHERE active AND table = 't'`;
  const first = await ChdbWarehouse.open(dataDir, 'custom_data');
  await first.execute(
    'CREATE TABLE custom_data.t (n UInt64, s String) ENGINE = MergeTree ORDER BY (s, n)',
  );
  await first.execute('SYSTEM STOP MERGES custom_data.t');
  for (let part = 0; part < 2; part++) {
    await first.execute(
      `INSERT INTO custom_data.t SELECT number, toString(cityHash64(number)) FROM numbers(${rows})
       SETTINGS max_insert_block_size = ${rows}, min_insert_block_size_rows = ${rows}, min_insert_block_size_bytes = 0`,
    );
  }
  await first.execute('SYSTEM START MERGES custom_data.t');
  const merge = first.execute('OPTIMIZE TABLE custom_data.t FINAL');
  merge.catch(() => undefined);
  const merges = `SELECT 1 FROM system.merges WHERE table = 't'`;
  await until(async () => (await first.query(merges)).length === 1, 1);
  await first.close();
  // ABORTED
  await expect(merge).rejects.toMatchObject({ code: 236 });

  const second = await ChdbWarehouse.open(dataDir, 'custom_data');
  expect(await second.query(parts)).toEqual([{ parts: 2 }]);
  await second.execute('OPTIMIZE TABLE custom_data.t FINAL');
  expect(await second.query(parts)).toEqual([{ parts: 1 }]);
  expect(await second.query('SELECT count() AS rows FROM custom_data.t')).toEqual([
    { rows: String(2 * rows) },
  ]);
  await second.close();
});

test('blocks that an earlier process left behind are removed', async () => {
  const first = await ChdbWarehouse.open(dataDir, 'custom_data');
  await first.close();
  await writeFile(join(dataDir, 'warehouse-blocks', '0.native'), 'half a block');
  const second = await ChdbWarehouse.open(dataDir, 'custom_data');
  expect(await readdir(join(dataDir, 'warehouse-blocks'))).toEqual([]);
  await second.close();
});

test('a folder that the engine would take for a pattern is refused', async () => {
  await expect(ChdbWarehouse.open(join(dataDir, '{a,b}'), 'custom_data')).rejects.toThrow(
    '* ? { }',
  );
});
