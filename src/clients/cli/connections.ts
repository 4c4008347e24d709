import { existsSync } from 'node:fs';

import type { Config } from '../../config/config.js';
import { logFolder } from '../../config/data-folder.js';
import { LogUnavailableError, type UploadLog } from '../../log/upload-log.js';
import { createLogger } from '../../ops/logger.js';
import { CODE } from '../../query/exception.js';
import { lockDataFolder, openLog, openWarehouse } from '../../service/adapters.js';
import { refusalOf } from '../../warehouse/refusal.js';
import { type Warehouse, WarehouseError } from '../../warehouse/warehouse.js';
import { CommandError, UNREACHABLE } from './terminal.js';

const SILENT = createLogger('silent');

/**
 * Runs `work` with the service's log, whether the service runs or not.
 *
 * @throws Error, one line, when there is none, or the brokers do not answer or refuse
 */
export async function withLog<T>(config: Config, work: (log: UploadLog) => Promise<T>): Promise<T> {
  const { dataDir, kafka, limits } = config;
  // A log made here would have the wrong partitions, and most likely be in the wrong place.
  if (kafka === undefined && !existsSync(logFolder(dataDir))) {
    throw new CommandError(`DATA_DIR ${dataDir} has no log; the service has not run on it yet`);
  }
  // The retention of this environment need not be the service's.
  const { log, ready, close } = await openLog(config, SILENT, false);
  try {
    const timeout = AbortSignal.timeout(limits.logTimeoutMs);
    await ready(timeout).catch((error: unknown) => {
      if (!timeout.aborted) throw error;
      throw new CommandError('KAFKA_BROKERS: none of the brokers answers', UNREACHABLE);
    });
    return await work(log);
  } catch (error) {
    if (!(error instanceof LogUnavailableError)) throw error;
    throw new CommandError(error.message, UNREACHABLE);
  } finally {
    await close();
  }
}

/**
 * Runs `work` with the log; without one when the service has not run yet on the data folder or the
 * log cannot be opened.
 */
export async function withLogIfAny<T>(
  config: Config,
  work: (log: UploadLog | undefined) => Promise<T>,
): Promise<T> {
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
 * Runs `work` with the log while no embedded service runs on it. With Kafka any process may be a
 * client, and the group tells whether it has members.
 *
 * @throws Error, one line, when a service is running on the data folder
 */
export async function withIdleLog<T>(
  config: Config,
  work: (log: UploadLog) => Promise<T>,
): Promise<T> {
  if (config.kafka !== undefined) return withLog(config, work);
  const release = await lockDataFolder(config.dataDir);
  try {
    return await withLog(config, work);
  } finally {
    await release();
  }
}

/**
 * Runs `work` with the warehouse. Only one process at a time can open the embedded one, so no
 * service may be running on the data folder.
 *
 * @throws Error, one line, when one is, or when the server does not answer or refuses
 */
export async function withWarehouse<T>(
  config: Config,
  work: (warehouse: Warehouse) => Promise<T>,
): Promise<T> {
  if (config.clickhouse !== undefined) {
    const { url } = config.clickhouse;
    return withOpenWarehouse(config, work).catch((error: unknown) => {
      throw ofServer(url, error);
    });
  }
  const release = await lockDataFolder(config.dataDir);
  try {
    return await withOpenWarehouse(config, work);
  } finally {
    await release();
  }
}

async function withOpenWarehouse<T>(
  config: Config,
  work: (warehouse: Warehouse) => Promise<T>,
): Promise<T> {
  const { warehouse, close } = await openWarehouse(config, SILENT);
  try {
    return await work(warehouse);
  } finally {
    await close();
  }
}

/** A server's error, in one line that names what to change, if anything. */
function ofServer(url: string, error: unknown): unknown {
  const refusal = refusalOf(error);
  if (refusal !== undefined) return refusal;
  if (error instanceof WarehouseError && error.code === undefined) {
    return new CommandError(
      `CLICKHOUSE_URL: no ClickHouse server answers at ${url} (${error.message})`,
      UNREACHABLE,
    );
  }
  if (error instanceof WarehouseError && error.code === CODE.TOO_MANY_SIMULTANEOUS_QUERIES) {
    return new CommandError(error.message, UNREACHABLE);
  }
  return error;
}
