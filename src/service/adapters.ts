import { mkdir } from 'node:fs/promises';

import type { Config } from '../config/config.js';
import { logFolder } from '../config/data-folder.js';
import { retrying } from '../domain/retry.js';
import { FormattedLog } from '../log/formatted-log.js';
import { LogUnavailableError, type UploadLog } from '../log/upload-log.js';
import { attempt } from '../ops/attempt.js';
import type { Logger } from '../ops/logger.js';
import { migrate } from '../warehouse/schema/migrate.js';
import { refusalOf } from '../warehouse/refusal.js';
import { isPassing, type Warehouse } from '../warehouse/warehouse.js';

/** What brokers have to answer that they are left: they may be away. */
const LEAVE_MS = 2_000;

/** Of what is on servers: it is waited for. */
const NEVER = new Promise<never>(() => undefined);

/** What has been opened, and how to close it again, last first. */
export interface Infrastructure {
  readonly log: UploadLog;
  readonly warehouse: Warehouse;
  /** Rejects when the log or the warehouse cannot go on in this process. */
  readonly failed: Promise<never>;
  /**
   * Resolves when the brokers have answered and the warehouse has the schema that this process
   * needs: waits while a server is away or not migrated yet.
   *
   * @throws ConfigError, KafkaSetupError, NewerSchemaError
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
  const closes: (() => Promise<void>)[] = [];
  const close = async (): Promise<void> => {
    for (let next = closes.pop(); next !== undefined; next = closes.pop()) await next();
  };
  try {
    const { dataDir } = config;
    await mkdir(dataDir, { recursive: true });
    const { DataFolderLock } = await import('../log/lmdb/data-folder-lock.js');
    const lock = await DataFolderLock.acquire(dataDir);
    closes.push(() => lock.release());
    const {
      log: adapter,
      ready: logReady,
      failed: logFailed,
      close: closeLog,
    } = await openLog(config, logger);
    const log = new FormattedLog(adapter);
    closes.push(closeLog);
    const {
      warehouse,
      ready: warehouseReady,
      failed: warehouseFailed,
    } = await openWarehouse(config, logger);
    closes.push(() => warehouse.close());
    const ready = async (signal: AbortSignal): Promise<void> => {
      await logReady(signal);
      await warehouseReady(signal);
    };
    const failed = Promise.race([logFailed, warehouseFailed]);
    return { log, warehouse, failed, ready, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/**
 * Asks the log or the warehouse until it answers.
 *
 * @throws ConfigError when it answers and refuses
 */
export function answered<T>(
  logger: Logger,
  signal: AbortSignal,
  ask: () => Promise<T>,
): Promise<T> {
  return retrying(
    ask,
    (error) => {
      const refusal = refusalOf(error);
      if (refusal !== undefined) throw refusal;
      if (!isPassing(error) && !(error instanceof LogUnavailableError)) return false;
      logger.warn({ reason: (error as Error).message }, 'waiting for the log or the warehouse');
      return true;
    },
    signal,
  );
}

async function openLog(
  { dataDir, kafka, limits }: Config,
  logger: Logger,
): Promise<Pick<Infrastructure, 'log' | 'failed' | 'ready' | 'close'>> {
  if (kafka !== undefined) {
    const { configuredKafkaLog } = await import('../log/kafka/configured.js');
    const log = await configuredKafkaLog(kafka, limits, logger);
    const close = async (): Promise<void> => {
      const reason = await attempt(() => log.close(), LEAVE_MS);
      if (reason !== 'ok') logger.warn({ reason }, 'the brokers were not left in good order');
    };
    return { log, failed: NEVER, ready: (signal) => log.ready(signal), close };
  }
  const { LmdbLog } = await import('../log/lmdb/lmdb-log.js');
  const log = LmdbLog.open({
    dir: logFolder(dataDir),
    retentionMs: limits.logRetentionMs,
    timeoutMs: limits.logTimeoutMs,
  });
  return { log, failed: log.failed, ready: () => Promise.resolve(), close: () => log.close() };
}

async function openWarehouse(
  { dataDir, clickhouse, clickhouseDatabase }: Config,
  logger: Logger,
): Promise<Pick<Infrastructure, 'warehouse' | 'failed' | 'ready'>> {
  if (clickhouse !== undefined) {
    const { connectClickHouse, clickHouseReady } =
      await import('../warehouse/clickhouse/connect.js');
    const warehouse = await connectClickHouse(clickhouse, clickhouseDatabase);
    // Many processes share it: `custom-data migrate` is the one that changes its schema.
    const ready = (signal: AbortSignal): Promise<void> =>
      clickHouseReady(warehouse, clickhouseDatabase, logger, signal);
    return { warehouse, failed: NEVER, ready };
  }
  const { ChdbWarehouse } = await import('../warehouse/chdb/chdb-warehouse.js');
  const warehouse = await ChdbWarehouse.open(dataDir, clickhouseDatabase);
  const ready = (): Promise<void> => migrate(warehouse, clickhouseDatabase);
  return { warehouse, failed: warehouse.failed, ready };
}
