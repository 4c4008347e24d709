import { Failure } from '../../domain/failure.js';
import type { AcceptanceFence } from '../../status/request-lookup.js';
import { firstKept } from '../../log/offsets-at.js';
import {
  CONSUMER_GROUPS,
  LogUnavailableError,
  type RecordPosition,
  unlessAway,
  type UploadLog,
} from '../../log/upload-log.js';
import type { Logger } from '../../ops/logger.js';

const LEAST_INTERVAL_MS = 1_000;
const LONGEST_INTERVAL_MS = 60_000;
/** The group whose committed offsets tell what is finished. */
const { topic, group } = CONSUMER_GROUPS.ingest;

export interface RetentionGuardOptions {
  readonly log: UploadLog;
  /** How long the log keeps a record, finished or not. */
  readonly retentionMs: number;
  readonly logger: Logger;
}

/**
 * Accepts nothing more once the oldest unfinished record is older than half of the log's retention.
 * The other half is for finishing what has been accepted before the log deletes it. Ingest finishes
 * every record by itself, also those of an upload that never ended, so this state passes.
 *
 * For logs that delete by age alone. It looks at least once a minute.
 */
export class RetentionGuard implements AcceptanceFence {
  /** By partition. */
  private atRisk: readonly boolean[] = [];
  private readonly failure = new Failure();
  /** Rejects when it meets what waiting does not fix, such as a record of a newer version. */
  readonly failed = this.failure.promise;
  private readonly timer: NodeJS.Timeout;

  /** @param fence awaited by each acceptance as well */
  static async start(
    options: RetentionGuardOptions,
    fence: AcceptanceFence,
  ): Promise<RetentionGuard> {
    const guard = new RetentionGuard(options, fence);
    await guard.look();
    return guard;
  }

  private constructor(
    private readonly options: RetentionGuardOptions,
    private readonly fence: AcceptanceFence,
  ) {
    const interval = Math.max(
      LEAST_INTERVAL_MS,
      Math.min(options.retentionMs / 100, LONGEST_INTERVAL_MS),
    );
    this.timer = setInterval(() => {
      this.look().catch(this.failure.report);
    }, interval);
    this.timer.unref();
  }

  /** @throws LogUnavailableError when accepting an upload now would put older ones at risk */
  async caughtUp(): Promise<void> {
    if (this.atRisk.includes(true)) {
      throw new LogUnavailableError('uploads have waited for half of the retention of the log');
    }
    await this.fence.caughtUp();
  }

  stop(): void {
    clearInterval(this.timer);
  }

  private async look(): Promise<void> {
    const { log, retentionMs, logger } = this.options;
    const committed = await unlessAway(log.committedOffsets(topic, group));
    // A log that does not answer takes no uploads either.
    if (committed === undefined) return;
    const first = await Promise.all(
      committed.map((offset, partition) => unlessAway(this.firstUnfinished({ partition, offset }))),
    );
    const limit = Date.now() - retentionMs / 2;
    const before = this.atRisk;
    this.atRisk = first.map((time, i) => (time === undefined ? before[i] === true : time < limit));
    const partition = this.atRisk.indexOf(true);
    if (partition >= 0 && !before.includes(true)) {
      logger.error({ topic, group, partition, retentionMs }, 'uploads are refused: see the lag');
    }
  }

  /**
   * When the log took the first record that is not finished, in milliseconds since the epoch;
   * Infinity when every record that it still has is.
   */
  private async firstUnfinished({ partition, offset }: RecordPosition): Promise<number> {
    const { log } = this.options;
    const end = await log.endOffset(topic, partition);
    // What retention has deleted is lost: to refuse uploads for it would never end.
    const first = await firstKept(log, topic, { partition, offset }, end);
    return first?.timestamp ?? Infinity;
  }
}
