import { copyMigrated } from '../chdb/migrated.js';
import { ClickHouseHttp } from './clickhouse-http.js';

/** Starts a ClickHouse server with the schema. */
export function startWithSchema(
  options?: Parameters<typeof ClickHouseHttp.start>[0],
): Promise<ClickHouseHttp> {
  return ClickHouseHttp.start(options, copyMigrated);
}
