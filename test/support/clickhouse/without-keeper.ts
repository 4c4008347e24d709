import type { Warehouse } from '../../../src/warehouse/warehouse.js';
import { passingOn } from '../chdb/warehouse.js';

/**
 * Strips what needs Keeper: the test server has none. It acts as every shard of the cluster.
 */
export function withoutKeeper(warehouse: Warehouse): Warehouse {
  return passingOn(warehouse, {
    execute: (sql) =>
      warehouse.execute(
        sql.replace(/ ON CLUSTER '\w+'/, '').replace('ENGINE = Replicated', 'ENGINE = '),
      ),
  });
}
