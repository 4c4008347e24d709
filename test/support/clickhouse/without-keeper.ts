import type { Warehouse } from '../../../src/warehouse/warehouse.js';
import { passingOn } from '../chdb/warehouse.js';

/** A server that plays every shard of the cluster `eu` and has no Keeper: what needs one is taken away. */
export function withoutKeeper(warehouse: Warehouse): Warehouse {
  return passingOn(warehouse, {
    execute: (sql) =>
      warehouse.execute(
        sql.replace(" ON CLUSTER 'eu'", '').replace('ENGINE = Replicated', 'ENGINE = '),
      ),
  });
}
