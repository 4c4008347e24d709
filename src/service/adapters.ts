import { mkdir } from 'node:fs/promises';

import type { Config } from '../config/config.js';
import { logFolder } from '../config/data-folder.js';
import { messageOf } from '../domain/failure.js';
import { retrying } from '../domain/retry.js';
import { FormattedLog } from '../log/formatted-log.js';
import { isLogUnavailable, type UploadLog } from '../log/upload-log.js';
import { attempt } from '../ops/attempt.js';
import type { Logger } from '../ops/logger.js';
import { migrate } from '../warehouse/schema/migrate.js';
import { refusalOf } from '../warehouse/refusal.js';
import { isPassing, type Warehouse } from '../warehouse/warehouse.js';

// The only file that names an adapter. Each is loaded only when it is chosen, so that an installation
// may leave the embedded engine out, and commands that need none start faster. (The lock of the data
// folder needs LMDB in any case.)

/** How long a consumer waits for brokers when it leaves its group: they may be away. */
const LEAVE_MS = 2_000;

/** An adapter of a server never fails for good: it waits until the server answers again. */
const NEVER = new Promise<never>(() => undefined);

/** A log or a warehouse that has been opened. */
interface Opened {
  /** Rejects when it cannot go on in this process. */
  readonly failed: Promise<never>;
  /**
   * Resolves when it can be used: waits while a server is away or not migrated yet.
   *
   * @throws ConfigError when it answers and refuses
   */
  readonly ready: (signal: AbortSignal) => Promise<void>;
  readonly close: () => Promise<void>;
}

interface OpenLog extends Opened {
  readonly log: UploadLog;
}

interface OpenWarehouse extends Opened {
  readonly warehouse: Warehouse;
}

export interface Adapters extends OpenLog, OpenWarehouse {}

/** Opens the log and the warehouse behind their ports, and locks the data folder. */
export async function openAdapters(config: Config, logger: Logger): Promise<Adapters> {
  const closes: (() => Promise<void>)[] = [];
  const close = async (): Promise<void> => {
    for (let next = closes.pop(); next !== undefined; next = closes.pop()) await next();
  };
  try {
    await mkdir(config.dataDir, { recursive: true });
    closes.push(await lockDataFolder(config.dataDir));
    const log = await openLog(config, logger, true);
    closes.push(() => log.close());
    const warehouse = await openWarehouse(config, logger);
    closes.push(() => warehouse.close());
    return {
      log: log.log,
      warehouse: warehouse.warehouse,
      failed: Promise.race([log.failed, warehouse.failed]),
      ready: async (signal) => {
        await log.ready(signal);
        await warehouse.ready(signal);
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/**
 * Keeps other processes from the data folder.
 *
 * @returns gives it free again
 * @throws Error, one line, when another process has it
 */
export async function lockDataFolder(dataDir: string): Promise<() => Promise<void>> {
  const { acquireDataFolder } = await import('../log/lmdb/data-folder-lock.js');
  return acquireDataFolder(dataDir);
}

/** @param runsRetention whether this process deletes what the embedded log need not keep */
export async function openLog(
  { dataDir, kafka, limits }: Pick<Config, 'dataDir' | 'kafka' | 'limits'>,
  logger: Logger,
  runsRetention: boolean,
): Promise<OpenLog> {
  if (kafka !== undefined) {
    const { configuredKafkaLog } = await import('../log/kafka/configured.js');
    const log = await configuredKafkaLog(kafka, limits, logger);
    const close = async (): Promise<void> => {
      const reason = await attempt(() => log.close(), LEAVE_MS);
      if (reason !== 'ok') logger.warn({ reason }, 'disconnecting from Kafka failed');
    };
    const ready = (signal: AbortSignal): Promise<void> => log.ready(signal);
    return { log: new FormattedLog(log), failed: NEVER, ready, close };
  }
  const { LmdbLog } = await import('../log/lmdb/lmdb-log.js');
  const log = LmdbLog.open({
    dir: logFolder(dataDir),
    retentionMs: limits.logRetentionMs,
    runsRetention,
    timeoutMs: limits.logTimeoutMs,
  });
  return {
    log: new FormattedLog(log),
    failed: log.failed,
    ready: () => Promise.resolve(),
    close: () => log.close(),
  };
}

export async function openWarehouse(
  {
    dataDir,
    clickhouse,
    clickhouseDatabase,
  }: Pick<Config, 'dataDir' | 'clickhouse' | 'clickhouseDatabase'>,
  logger: Logger,
): Promise<OpenWarehouse> {
  if (clickhouse !== undefined) {
    const { connectClickHouse, clickHouseReady } =
      await import('../warehouse/clickhouse/connect.js');
    const warehouse = await connectClickHouse(clickhouse, clickhouseDatabase);
    // Many processes share it: `custom-data migrate` is the one that changes its schema.
    const ready = (signal: AbortSignal): Promise<void> =>
      clickHouseReady(warehouse, clickhouseDatabase, logger, signal, (question) =>
        answered(logger, signal, question),
      );
    return { warehouse, failed: NEVER, ready, close: () => warehouse.close() };
  }
  const { ChdbWarehouse } = await import('../warehouse/chdb/chdb-warehouse.js');
  const warehouse = await ChdbWarehouse.open(dataDir, clickhouseDatabase);
  const ready = (): Promise<void> => migrate(warehouse, clickhouseDatabase);
  return { warehouse, failed: warehouse.failed, ready, close: () => warehouse.close() };
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
      if (!isPassing(error) && !isLogUnavailable(error)) return false;
      logger.warn({ reason: messageOf(error) }, 'waiting for the log or the warehouse');
      return true;
    },
    signal,
  );
}
