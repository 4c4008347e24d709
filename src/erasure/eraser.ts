import { setTimeout as sleep } from 'node:timers/promises';

import { coversRequest } from '../domain/erasure-fence.js';
import { transitionOf } from '../domain/requests/transition-record.js';
import { timeOfVersion } from '../domain/version.js';
import { RecordApplier } from '../log/record-applier.js';
import { carryOver } from '../dead-letter/carry-over.js';
import { INGEST_GROUP } from '../ingest/ingest.js';
import { HISTORY_GROUP } from '../status/history-writer.js';
import {
  type Forgetting,
  type LogRecord,
  LogUnavailableError,
  type Topic,
  type UploadLog,
} from '../log/upload-log.js';
import type { Logger } from '../ops/logger.js';
import { isPassing, WarehouseError } from '../warehouse/warehouse.js';
import { type AccountErasure, erasureOf, fenceOf } from './account-erasure.js';
import { ERASURE_GROUP } from './erased-accounts.js';
import { eraseRows, type ErasureTables, keepErasure } from './erase-rows.js';

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;

interface Owner {
  readonly account?: string;
  readonly requestId: string;
}

/** Whose a record is, by topic, and who consumes it; the records of `control` are evidence. */
const OWNED: readonly [Topic, group: string | undefined, (record: LogRecord) => Owner][] = [
  ['uploads', INGEST_GROUP, byHeaders],
  ['dead-letter', undefined, byHeaders],
  ['status', HISTORY_GROUP, ({ value }) => transitionOf(value)],
];

export interface EraserDependencies extends ErasureTables {
  readonly log: UploadLog;
  /** How long a statement that was begun before may still change a table. */
  readonly statementMs: number;
  readonly logger: Logger;
}

/** Erases the accounts that operators order to be erased, in the tables and in the log. */
export function startEraser(dependencies: EraserDependencies): Promise<RecordApplier> {
  return RecordApplier.start(dependencies.log, {
    topic: 'control',
    group: ERASURE_GROUP,
    isPassing(error) {
      if (!isPassing(error) && !(error instanceof LogUnavailableError)) return false;
      const code = error instanceof WarehouseError ? error.code : undefined;
      const reason = error instanceof LogUnavailableError ? error.message : undefined;
      dependencies.logger.warn({ code, reason }, 'an erasure waits for the warehouse or the log');
      return true;
    },
    async apply(records, signal) {
      const erasures = records.flatMap((record) => erasureOf(record) ?? []);
      for (const erasure of erasures) {
        // 1. From now on whatever starts knows of it; whatever runs has read it in the log.
        await keepErasure(dependencies, erasure);
        // 2. What is there goes at once.
        await eraseRows(dependencies, erasure);
      }
      for (const erasure of erasures) await finish(dependencies, erasure, signal);
    },
  });
}

async function finish(
  dependencies: EraserDependencies,
  erasure: AccountErasure,
  signal: AbortSignal,
): Promise<void> {
  const { log, logger, statementMs } = dependencies;
  const { account, version, at } = erasure;
  // 3. What was under way has ended by then, and goes as well.
  const settledAt = Math.max(timeOfVersion(version), at + statementMs);
  await sleep(Math.max(0, settledAt - Date.now()), undefined, { signal });
  const pauses = growingPauses(signal);
  while ((await eraseRows(dependencies, erasure)) > 0) await pauses();
  // 4. The log lets go of a record when every group has read it.
  const fence = fenceOf(erasure);
  const isErased = ({ account: owner, requestId }: Owner): boolean =>
    owner !== undefined && coversRequest(fence, owner, requestId);
  for (const [topic, group, ownerOf] of OWNED) {
    const forgetting: Forgetting = {
      group,
      matches: (record) => isErased(ownerOf(record)),
      ...(topic === 'dead-letter' && {
        carryOver: (partition, before) => carryOver(log, partition, before, isErased),
      }),
    };
    while ((await log.forget(topic, forgetting)) > 0) await pauses();
  }
  logger.info({ account }, 'account erased');
}

function byHeaders({ headers }: LogRecord): Owner {
  const { account, requestId = '' } = headers;
  return { ...(account !== undefined && { account }), requestId };
}

function growingPauses(signal: AbortSignal): () => Promise<void> {
  let pause = FIRST_PAUSE_MS;
  return async () => {
    await sleep(pause, undefined, { signal });
    pause = Math.min(2 * pause, LONGEST_PAUSE_MS);
  };
}
