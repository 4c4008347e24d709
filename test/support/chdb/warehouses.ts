import { ClickHouseWarehouse } from '../../../src/warehouse/clickhouse/clickhouse-warehouse.js';
import type { Warehouse } from '../../../src/warehouse/warehouse.js';
import { ClickHouseHttp } from '../clickhouse/clickhouse-http.js';

/** The adapters of the warehouse port. */
export const WAREHOUSES = ['chdb', 'clickhouse'] as const;
export type WarehouseKind = (typeof WAREHOUSES)[number];

export interface OpenWarehouse {
  readonly warehouse: Warehouse;
  close(): Promise<void>;
}

/** Opens a warehouse without a schema. A process can have only one `chdb` warehouse at a time. */
export async function openWarehouseOf(kind: WarehouseKind): Promise<OpenWarehouse> {
  if (kind === 'chdb') {
    // Loads the engine, half a gigabyte, which most test files leave to the processes they start.
    const { openEmptyWarehouse } = await import('./warehouse.js');
    return openEmptyWarehouse();
  }
  const server = await ClickHouseHttp.start();
  const warehouse = connectTo(server);
  return {
    warehouse,
    async close() {
      await warehouse.close();
      await server.stop();
    },
  };
}

export function connectTo(
  server: ClickHouseHttp,
  timeoutMs = 20_000,
  cluster?: string,
): ClickHouseWarehouse {
  const { url, user, password } = server;
  return new ClickHouseWarehouse({
    url,
    user,
    password,
    tls: {},
    compression: 'none',
    insertQuorum: undefined,
    cluster,
    timeoutMs,
    database: 'custom_data',
  });
}
