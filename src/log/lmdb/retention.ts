import { TOPICS, type Topic } from '../upload-log.js';
import type { GroupCommit } from './group-commit.js';
import type { LogStore } from './log-store.js';

/** Bounds how long appends wait behind one deletion: some milliseconds. */
const RECORDS_PER_TRANSACTION = 200;
const INTERVAL_MS = 60_000;

/** Topics that no group consumes: age alone deletes their records. */
const WITHOUT_GROUPS: ReadonlySet<Topic> = new Set(['dead-letter', 'claims']);

/**
 * Deletes records that are older than the retention and committed by every group of their topic. A
 * topic that is meant to be consumed loses nothing before a group has begun.
 *
 * The space is used again for new records; the file does not shrink.
 */
export class Retention {
  private timer: NodeJS.Timeout | undefined;
  private underWay: Promise<number> | undefined;

  /** @param now milliseconds since the epoch */
  constructor(
    private readonly store: LogStore,
    private readonly commits: GroupCommit,
    private readonly retentionMs: number,
    private readonly now: () => number,
  ) {}

  /** From now on it runs once a minute. */
  start(): void {
    this.timer = setInterval(() => {
      this.run().catch(() => {
        // The write counts its failure; the next run tries again.
      });
    }, INTERVAL_MS).unref();
  }

  /** How long a record stays at most once every group has committed it, in milliseconds. */
  get maxMs(): number {
    return this.retentionMs + INTERVAL_MS;
  }

  /**
   * Runs now, or joins the run that is under way.
   *
   * @returns how many records were deleted
   * @throws LogUnavailableError
   */
  run(): Promise<number> {
    this.underWay ??= this.deleteExpired().finally(() => {
      this.underWay = undefined;
    });
    return this.underWay;
  }

  stop(): void {
    clearInterval(this.timer);
  }

  private async deleteExpired(): Promise<number> {
    let deleted = 0;
    const { head } = this.store.readTip();
    for (const topic of TOPICS) {
      for (let partition = 0; partition < head[topic].length; partition++) {
        deleted += await this.deleteExpiredOf(topic, partition);
      }
    }
    return deleted;
  }

  private async deleteExpiredOf(topic: Topic, partition: number): Promise<number> {
    let deleted = 0;
    for (;;) {
      const offsets = this.store.offsetsOlderThan(
        topic,
        partition,
        this.watermark(topic, partition),
        this.now() - this.retentionMs,
        RECORDS_PER_TRANSACTION,
      );
      if (offsets.length === 0) return deleted;
      await this.commits.submit('retention', 0, () => {
        for (const offset of offsets) this.store.remove(topic, partition, offset);
      });
      deleted += offsets.length;
    }
  }

  /** The offset below which no group needs a record. */
  private watermark(topic: Topic, partition: number): number {
    const watermarks = this.store.watermarksOf(topic, partition);
    if (watermarks.length > 0) return Math.min(...watermarks);
    return WITHOUT_GROUPS.has(topic) ? Number.MAX_SAFE_INTEGER : 0;
  }
}
