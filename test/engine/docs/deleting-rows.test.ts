import { describe, expect, test } from '@jest/globals';

import { migrate } from '../../../src/warehouse/schema/migrate.js';
import type { Warehouse } from '../../../src/warehouse/warehouse.js';
import { openWarehouseOf, WAREHOUSES } from '../../support/chdb/warehouses.js';
import { snippet } from '../../support/documents/page.js';
import { storageBlock, type StoredKey } from '../../support/model/native-rows.js';

const STATEMENTS = snippet('operations.md', 'DELETE WHERE account').trim().split('\n');

/** Writes one version of a row of both families, as parts of their own. */
async function write(
  warehouse: Warehouse,
  account: string,
  date: string,
  version: bigint,
): Promise<void> {
  const key: StoredKey = {
    account,
    date,
    channel: 'news',
    third: 'spring',
    version,
    requestId: '0193c2f0-1a2b-7c3d-8e4f-a5b6c7d8e9fa',
    uploadedAt: 1_750_000_000,
    rows: [{ currency: 'EUR', impressions: 1, clicks: 1, cost: Number(version) }],
  };
  await warehouse.insert('cost', storageBlock('cost', [key]));
  const event = { ...key, rows: [{ event_value: Number(version) }] };
  await warehouse.insert('self_serve', storageBlock('self_serve', [event]));
}

describe.each(WAREHOUSES)('in %s', (kind) => {
  test('the statements of the page delete all versions of old rows of the account, and no others', async () => {
    const opened = await openWarehouseOf(kind);
    const { warehouse } = opened;
    try {
      await migrate(warehouse, 'custom_data');
      const tables = ['cost', 'self_serve'];
      for (const table of tables) {
        await warehouse.execute(`SYSTEM STOP MERGES custom_data.${table}`);
      }
      for (const version of [1n, 2n, 3n]) {
        await write(warehouse, 'acme', '2024-12-31', version);
        await write(warehouse, 'acme', '2025-01-01', version);
        await write(warehouse, 'other', '2024-12-31', version);
      }
      // Mutations wait where merges are stopped.
      for (const table of tables) {
        await warehouse.execute(`SYSTEM START MERGES custom_data.${table}`);
      }
      for (const sql of STATEMENTS) await warehouse.execute(sql);
      for (const table of tables) {
        const rows = await warehouse.query(
          `SELECT account, toString(date) AS day, toString(max(version)) AS version
           FROM custom_data.${table} GROUP BY account, date ORDER BY account`,
        );
        expect(rows).toEqual([
          { account: 'acme', day: '2025-01-01', version: '3' },
          { account: 'other', day: '2024-12-31', version: '3' },
        ]);
      }
    } finally {
      await opened.close();
    }
  });
});
