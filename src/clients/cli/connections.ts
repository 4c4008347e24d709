import { existsSync } from 'node:fs';
import type { ClickHouseConfig, Config, KafkaConfig, Limits } from '../../config/config.js';
import { logFolder } from '../../config/data-folder.js';
import { FormattedLog } from '../../log/formatted-log.js';
import type { UploadLog } from '../../log/upload-log.js';
import { createLogger } from '../../ops/logger.js';
import { refusalOf } from '../../warehouse/refusal.js';
import { type Warehouse, WarehouseError } from '../../warehouse/warehouse.js';
import { CommandError } from './terminal.js';

// Native modules are loaded by the commands that need them: the others start faster and also work
// where they are not installed.

/** Runs `work` with the log of the service, whether that is running or not. */
export async function withLog<T>(
  { dataDir, kafka, limits }: Config,
  work: (log: UploadLog) => Promise<T>,
): Promise<T> {
  if (kafka !== undefined) return withBrokers(kafka, limits, work);
  const dir = logFolder(dataDir);
  // One made here would have the wrong partitions, and most likely be in the wrong place.
  if (!existsSync(dir)) {
    throw new CommandError(`DATA_DIR ${dataDir} has no log; the service has not run on it yet`);
  }
  const { LmdbLog } = await import('../../log/lmdb/lmdb-log.js');
  const log = LmdbLog.open({
    dir,
    retentionMs: limits.logRetentionMs,
    timeoutMs: limits.logTimeoutMs,
  });
  try {
    return await work(new FormattedLog(log));
  } finally {
    await log.close();
  }
}

/**
 * Runs `work` with the log, or without one when the service has not run yet on the data folder or
 * the log cannot be opened.
 */
export async function withLogIfAny<T>(
  config: Config,
  work: (log: UploadLog | undefined) => Promise<T>,
): Promise<T> {
  const isThere = config.kafka !== undefined || existsSync(logFolder(config.dataDir));
  if (!isThere) return work(undefined);
  const log = { isOpen: false };
  try {
    return await withLog(config, (opened) => {
      log.isOpen = true;
      return work(opened);
    });
  } catch (error) {
    if (log.isOpen) throw error;
    return work(undefined);
  }
}

/**
 * Runs `work` with the log while no embedded service runs on it. Of brokers any process may be a
 * client, so that there the group says whether it has members.
 *
 * @throws Error, one line, when a service is running on the data folder
 */
export async function withIdleLog<T>(
  config: Config,
  work: (log: UploadLog) => Promise<T>,
): Promise<T> {
  if (config.kafka !== undefined) return withLog(config, work);
  const { DataFolderLock } = await import('../../log/lmdb/data-folder-lock.js');
  const lock = await DataFolderLock.acquire(config.dataDir);
  try {
    return await withLog(config, work);
  } finally {
    await lock.release();
  }
}

/** @throws Error, one line, when the brokers do not answer or refuse */
async function withBrokers<T>(
  kafka: KafkaConfig,
  limits: Limits,
  work: (log: UploadLog) => Promise<T>,
): Promise<T> {
  const { configuredKafkaLog } = await import('../../log/kafka/configured.js');
  const log = await configuredKafkaLog(kafka, limits, createLogger('silent'));
  const timeout = AbortSignal.timeout(limits.logTimeoutMs);
  try {
    await log.ready(timeout);
    return await work(new FormattedLog(log));
  } catch (error) {
    if (!timeout.aborted) throw error;
    throw new CommandError('KAFKA_BROKERS: none of the brokers answers');
  } finally {
    await log.close();
  }
}

/**
 * Runs `work` with the warehouse. The embedded one is of one process at a time, so no service may
 * be running on the data folder.
 *
 * @throws Error, one line, when one is, or when the server does not answer or refuses
 */
export async function withWarehouse<T>(
  { dataDir, clickhouse, clickhouseDatabase }: Config,
  work: (warehouse: Warehouse) => Promise<T>,
): Promise<T> {
  if (clickhouse !== undefined) return withServer(clickhouse, clickhouseDatabase, work);
  const { DataFolderLock } = await import('../../log/lmdb/data-folder-lock.js');
  const lock = await DataFolderLock.acquire(dataDir);
  try {
    const { ChdbWarehouse } = await import('../../warehouse/chdb/chdb-warehouse.js');
    const warehouse = await ChdbWarehouse.open(dataDir, clickhouseDatabase);
    try {
      return await work(warehouse);
    } finally {
      await warehouse.close();
    }
  } finally {
    await lock.release();
  }
}

async function withServer<T>(
  config: ClickHouseConfig,
  database: string,
  work: (warehouse: Warehouse) => Promise<T>,
): Promise<T> {
  const { connectClickHouse } = await import('../../warehouse/clickhouse/connect.js');
  const warehouse = await connectClickHouse(config, database);
  try {
    return await work(warehouse);
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal !== undefined) throw refusal;
    if (error instanceof WarehouseError && error.code === undefined) {
      throw new CommandError(
        `CLICKHOUSE_URL: no ClickHouse server answers at ${config.url} (${error.message})`,
      );
    }
    throw error;
  } finally {
    await warehouse.close();
  }
}
