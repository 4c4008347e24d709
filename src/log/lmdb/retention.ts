import { setImmediate } from 'node:timers/promises';
import { type LogRecord, TOPICS, type Topic } from '../upload-log.js';
import type { GroupCommit } from './group-commit.js';
import type { LogStore } from './log-store.js';

/** Bounds how long appends wait behind one deletion: some milliseconds. */
const RECORDS_PER_TRANSACTION = 200;
const INTERVAL_MS = 60_000;

/** Topics that no group consumes: their records go by age alone. */
const WITHOUT_GROUPS: ReadonlySet<Topic> = new Set(['dead-letter', 'claims']);

/**
 * Deletes records that are older than the retention and that every group of their topic has
 * committed. A topic that is meant to be consumed loses nothing before a group has begun to.
 *
 * On demand it also removes records before their time (`forget`).
 *
 * The space is used again for new records; the file does not shrink.
 */
export class Retention {
  private readonly timer: NodeJS.Timeout;
  private underWay: Promise<number> | undefined;

  /** @param now milliseconds since the epoch */
  constructor(
    private readonly store: LogStore,
    private readonly commits: GroupCommit,
    private readonly retentionMs: number,
    private readonly now: () => number,
  ) {
    this.timer = setInterval(() => {
      this.run().catch(() => {
        // A failed deletion is counted where it is written; the next run tries again.
      });
    }, INTERVAL_MS).unref();
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

  /**
   * Removes the records of a partition below `end` that match, as far as no group needs them.
   *
   * @returns how many that match are left
   * @throws LogUnavailableError
   */
  async forget(
    topic: Topic,
    partition: number,
    end: number,
    matches: (record: LogRecord) => boolean,
  ): Promise<number> {
    let left = 0;
    for (let next = 0; ;) {
      const watermark = this.watermark(topic, partition);
      const records = this.store.readBatch(topic, partition, next, end);
      const last = records.at(-1);
      if (last === undefined) return left;
      const matching = records.filter(matches);
      const free = matching.filter(({ offset }) => offset < watermark);
      left += matching.length - free.length;
      for (let from = 0; from < free.length; from += RECORDS_PER_TRANSACTION) {
        const some = free.slice(from, from + RECORDS_PER_TRANSACTION);
        await this.remove(
          topic,
          partition,
          some.map(({ offset }) => offset),
        );
      }
      next = last.offset + 1;
      // Reading is synchronous: between two batches others have their turn.
      await setImmediate();
    }
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
      await this.remove(topic, partition, offsets);
      deleted += offsets.length;
    }
  }

  private remove(topic: Topic, partition: number, offsets: readonly number[]): Promise<void> {
    return this.commits.submit('retention', 0, () => {
      for (const offset of offsets) this.store.remove(topic, partition, offset);
    });
  }

  /** The offset below which no group needs a record. */
  private watermark(topic: Topic, partition: number): number {
    const watermarks = this.store.watermarksOf(topic, partition);
    if (watermarks.length > 0) return Math.min(...watermarks);
    return WITHOUT_GROUPS.has(topic) ? Number.MAX_SAFE_INTEGER : 0;
  }
}
