import type { Config } from '../../../src/config/config.js';
import { ErasedAccounts } from '../../../src/operator/erasure/erased-accounts.js';
import { Ingest, type IngestTools } from '../../../src/ingest/ingest.js';
import type { UploadLog } from '../../../src/log/upload-log.js';
import type { Logger } from '../../../src/ops/logger.js';
import { HistoryWriter } from '../../../src/status/history-writer.js';
import type { RequestStore } from '../../../src/status/request-store.js';
import type { RowStore } from '../../../src/warehouse/row-store.js';
import type { Warehouse } from '../../../src/warehouse/warehouse.js';

/** What runs in a process. */
export interface Role {
  /** Rejects when it cannot continue. The process must then end. */
  readonly failed: Promise<never>;
  stop(deadlineMs: number): Promise<void>;
}

export interface RoleDependencies {
  readonly config: Config;
  readonly log: UploadLog;
  readonly rows: RowStore;
  readonly requests: RequestStore;
  /** Used for the audit only. */
  readonly warehouse: Warehouse;
  readonly logger: Logger;
}

/** Follows the erasures, as every process does. */
export function followErasures({ log, rows, config }: RoleDependencies): Promise<ErasedAccounts> {
  return ErasedAccounts.follow(log, rows, config.limits.logTimeoutMs);
}

export async function startIngest(
  dependencies: RoleDependencies,
  tools: IngestTools,
): Promise<Role> {
  const erased = await followErasures(dependencies);
  const ingest = await Ingest.start({ ...dependencies, erased }, tools);
  return {
    failed: ingest.failed,
    stop: async (deadlineMs) => {
      await ingest.stop(deadlineMs);
      await erased.stop();
    },
  };
}

export async function startStatus(dependencies: RoleDependencies): Promise<Role> {
  const erased = await followErasures(dependencies);
  const writer = await HistoryWriter.start({ ...dependencies, erased });
  return {
    failed: writer.failed,
    stop: async () => {
      await writer.stop();
      await erased.stop();
    },
  };
}
