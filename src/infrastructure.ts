import { mkdir } from 'node:fs/promises';

import type { Config } from './config/config.js';
import { logFolder } from './config/data-folder.js';
import { ConfigError } from './config/read-config.js';
import type { UploadLog } from './log/upload-log.js';
import type { Logger } from './ops/logger.js';
import { migrate } from './warehouse/schema/migrate.js';
import type { Warehouse } from './warehouse/warehouse.js';

/** What has been opened, and how to close it again, last first. */
export interface Infrastructure {
  readonly log: UploadLog;
  readonly warehouse: Warehouse;
  /**
   * Resolves when the warehouse has the schema that this process needs: waits while a server is
   * away or not migrated yet.
   *
   * @throws ConfigError, NewerSchemaError
   */
  ready(signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

/**
 * Opens the log and the warehouse behind their ports.
 * Adapters are chosen here and nowhere else; each is loaded only when it is chosen, so that an
 * installation may leave the embedded engines out.
 */
export async function openInfrastructure(config: Config, logger: Logger): Promise<Infrastructure> {
  if (config.kafkaBrokers !== undefined) {
    throw new ConfigError('KAFKA_BROKERS is set, but there is no Kafka adapter yet');
  }
  const closes: (() => Promise<void>)[] = [];
  const close = async (): Promise<void> => {
    for (let next = closes.pop(); next !== undefined; next = closes.pop()) await next();
  };
  try {
    const { dataDir, limits } = config;
    await mkdir(dataDir, { recursive: true });
    const { DataFolderLock } = await import('./log/lmdb/data-folder-lock.js');
    const lock = await DataFolderLock.acquire(dataDir);
    closes.push(() => lock.release());
    const { LmdbLog } = await import('./log/lmdb/lmdb-log.js');
    const log = LmdbLog.open({
      dir: logFolder(dataDir),
      retentionMs: limits.logRetentionMs,
      timeoutMs: limits.logTimeoutMs,
    });
    closes.push(() => log.close());
    const { warehouse, ready } = await openWarehouse(config, logger);
    closes.push(() => warehouse.close());
    return { log, warehouse, ready, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function openWarehouse(
  { dataDir, clickhouse, clickhouseDatabase }: Config,
  logger: Logger,
): Promise<Pick<Infrastructure, 'warehouse' | 'ready'>> {
  if (clickhouse !== undefined) {
    const { connectClickHouse, clickHouseReady } =
      await import('./warehouse/clickhouse/connect.js');
    const warehouse = await connectClickHouse(clickhouse, clickhouseDatabase);
    // Many processes share it: `custom-data migrate` is the one that changes its schema.
    const ready = (signal: AbortSignal): Promise<void> =>
      clickHouseReady(warehouse, clickhouseDatabase, logger, signal);
    return { warehouse, ready };
  }
  const { ChdbWarehouse } = await import('./warehouse/chdb/chdb-warehouse.js');
  const warehouse = await ChdbWarehouse.open(dataDir, clickhouseDatabase);
  return { warehouse, ready: () => migrate(warehouse, clickhouseDatabase) };
}
