import { mkdir } from 'node:fs/promises';

import type { Config } from './config/config.js';
import { logFolder } from './config/data-folder.js';
import { ConfigError } from './config/read-config.js';
import type { UploadLog } from './log/upload-log.js';
import { migrate } from './warehouse/schema/migrate.js';
import type { Warehouse } from './warehouse/warehouse.js';

/** What has been opened, and how to close it again, last first. */
export interface Infrastructure {
  readonly log: UploadLog;
  readonly warehouse: Warehouse;
  close(): Promise<void>;
}

/**
 * Opens the log and the warehouse behind their ports, with the warehouse's schema up to date.
 * Adapters are chosen here and nowhere else; each is loaded only when it is chosen, so that an
 * installation may leave the embedded engines out.
 */
export async function openInfrastructure(config: Config): Promise<Infrastructure> {
  if (config.kafkaBrokers !== undefined) {
    throw new ConfigError('KAFKA_BROKERS is set, but there is no Kafka adapter yet');
  }
  if (config.clickhouseUrl !== undefined) {
    throw new ConfigError('CLICKHOUSE_URL is set, but there is no ClickHouse adapter yet');
  }
  const closes: (() => Promise<void>)[] = [];
  const close = async (): Promise<void> => {
    for (let next = closes.pop(); next !== undefined; next = closes.pop()) await next();
  };
  try {
    const { dataDir, limits, clickhouseDatabase } = config;
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
    const { ChdbWarehouse } = await import('./warehouse/chdb/chdb-warehouse.js');
    const warehouse = await ChdbWarehouse.open(dataDir, clickhouseDatabase);
    closes.push(() => warehouse.close());
    await migrate(warehouse, clickhouseDatabase);
    return { log, warehouse, close };
  } catch (error) {
    await close();
    throw error;
  }
}
