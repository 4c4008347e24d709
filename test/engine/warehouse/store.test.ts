import { SqlRequestStore } from '../../../src/status/sql-request-store.js';
import { SqlRowStore } from '../../../src/warehouse/rows/sql-row-store.js';
import { migrate } from '../../../src/warehouse/schema/migrate.js';
import { openWarehouseOf, WAREHOUSES } from '../../support/chdb/warehouses.js';
import { rowStoreContract } from './store-contract.js';

for (const kind of WAREHOUSES) {
  rowStoreContract(`rows in ${kind}`, async () => {
    const opened = await openWarehouseOf(kind);
    await migrate(opened.warehouse, 'custom_data');
    const store = new SqlRowStore(opened.warehouse, 'custom_data');
    const requests = new SqlRequestStore(opened.warehouse, 'custom_data');
    return { store, requests, close: () => opened.close() };
  });
}
