import { type ClickHouseConfig, ConfigError } from '../../config/config.js';
import { readPassword, readTlsFiles } from '../../config/configured-files.js';
import type { Logger } from '../../ops/logger.js';
import { databaseExists, waitForSchema } from '../schema/migrate.js';
import type { Warehouse } from '../warehouse.js';
import { ClickHouseWarehouse } from './clickhouse-warehouse.js';

/**
 * The configured warehouse. No request is sent yet.
 *
 * @throws ConfigError when a file that the configuration names cannot be read
 */
export async function connectClickHouse(
  config: ClickHouseConfig,
  database: string,
): Promise<ClickHouseWarehouse> {
  return new ClickHouseWarehouse({
    ...config,
    password: await readPassword('CLICKHOUSE_PASSWORD_FILE', config),
    tls: await readTlsFiles('CLICKHOUSE', config.tls),
    database,
  });
}

/**
 * Waits until the server is there and `custom-data migrate` has made the schema.
 *
 * @param ask asks the warehouse until it answers
 * @throws ConfigError for a user that is refused and a database that does not exist
 */
export async function clickHouseReady(
  warehouse: Warehouse,
  database: string,
  logger: Logger,
  signal: AbortSignal,
  ask: (question: () => Promise<void>) => Promise<void>,
): Promise<void> {
  await ask(async () => {
    if (await databaseExists(warehouse, database)) return;
    throw new ConfigError(
      `CLICKHOUSE_DATABASE: the ClickHouse server has no database ${database}; ` +
        '`custom-data migrate` makes it',
    );
  });
  logger.info({ database }, 'the warehouse is there, waiting for its schema');
  await ask(() => waitForSchema(warehouse, database, signal));
}
