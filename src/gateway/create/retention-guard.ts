import type { AcceptanceFence } from '../../domain/requests/request-lookup.js';
import { timeOf, unreadPartitions } from '../../log/consumer-lag.js';
import { LogUnavailableError, type Topic, type UploadLog } from '../../log/upload-log.js';
import type { Logger } from '../../ops/logger.js';

const LEAST_INTERVAL_MS = 1_000;
const LONGEST_INTERVAL_MS = 60_000;

export interface RetentionGuardOptions {
  readonly log: UploadLog;
  readonly topic: Topic;
  /** Whose committed offsets tell what is finished. */
  readonly group: string;
  /** How long the log keeps a record, whether it is finished or not. */
  readonly retentionMs: number;
  readonly logger: Logger;
}

/**
 * Accepts nothing more once the oldest unfinished upload is older than half of the log's retention:
 * the other half is for finishing what has been accepted, before the log deletes it.
 *
 * For a log that deletes by age alone. What it knows is at most a minute old.
 */
export class RetentionGuard implements AcceptanceFence {
  private isAtRisk = false;
  private readonly timer: NodeJS.Timeout;

  /** @param fence what an acceptance waits for besides */
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
    this.timer = setInterval(() => void this.look(), interval);
    this.timer.unref();
  }

  /** @throws LogUnavailableError when an upload accepted now would put older ones at risk */
  async caughtUp(): Promise<void> {
    if (this.isAtRisk) {
      throw new LogUnavailableError('uploads have waited for half of the retention of the log');
    }
    await this.fence.caughtUp();
  }

  stop(): void {
    clearInterval(this.timer);
  }

  private async look(): Promise<void> {
    const { retentionMs, topic, group, logger } = this.options;
    try {
      const waitedMs = Date.now() - (await this.oldestUnfinished());
      const isAtRisk = waitedMs > retentionMs / 2;
      if (isAtRisk && !this.isAtRisk) {
        logger.error({ topic, group, waitedMs, retentionMs }, 'uploads are refused: see the lag');
      }
      this.isAtRisk = isAtRisk;
    } catch (error) {
      // A log that does not answer takes no uploads either.
      if (!(error instanceof LogUnavailableError)) throw error;
    }
  }

  /** Milliseconds since the epoch; Infinity when everything is finished, -Infinity when some is deleted already. */
  private async oldestUnfinished(): Promise<number> {
    const { log, topic, group } = this.options;
    const unread = await unreadPartitions(log, { topic, group });
    return Math.min(...(await Promise.all(unread.map((first) => timeOf(log, topic, first)))));
  }
}
