import { CONSUMER_GROUPS, type LogRecord, type Tail, type UploadLog } from '../log/upload-log.js';
import { transitionOf } from './publisher.js';
import type { VersionClock } from '../domain/version.js';
import type { StatusView } from './status-view.js';

/**
 * Follows the status topic into the view and into this gateway's version clock.
 *
 * It begins no later than where the history has been written, so that view and history together
 * know every request, and early enough to read the last transition of every partition, whose
 * `sentMax` has the versions given before this process began.
 */
export class StatusTail {
  private constructor(
    private readonly log: UploadLog,
    private readonly tail: Tail,
    /** By partition: when the last records came, by performance.now(). */
    private readonly moves: ReadonlyMap<number, number>,
  ) {}

  static async start(log: UploadLog, view: StatusView, clock: VersionClock): Promise<StatusTail> {
    const written = await log.committedOffsets('status', CONSUMER_GROUPS.history.group);
    const ends = await log.endOffsets('status');
    const from = ends.map((end, partition) =>
      Math.min(written[partition] ?? 0, Math.max(0, end - 1)),
    );
    const moves = new Map<number, number>();
    const tail = await log.tail('status', from, (records: readonly LogRecord[]) => {
      for (const record of records) {
        moves.set(record.partition, performance.now());
        const transition = transitionOf(record.value);
        clock.observe(BigInt(transition.sentMax));
        clock.observe(BigInt(transition.version));
        view.apply(transition, record);
      }
    });
    return new StatusTail(log, tail, moves);
  }

  /** Rejects when the topic can no longer be followed: every answer would be old. */
  get failed(): Promise<never> {
    return this.tail.failed;
  }

  /** Resolves when everything that was on the topic at the call has been seen. */
  async caughtUp(timeoutMs: number): Promise<void> {
    await this.tail.reached(await this.log.endOffsets('status'), timeoutMs);
  }

  /** Whether everything below `end` of a partition has been seen. */
  async isAt(partition: number, end: number): Promise<boolean> {
    const ends = Array.from({ length: partition + 1 }, (_, i) => (i === partition ? end : 0));
    try {
      await this.tail.reached(ends, 0);
      return true;
    } catch {
      return false;
    }
  }

  /** When records of the partition last came, by performance.now(); -Infinity: never. */
  movedAt(partition: number): number {
    return this.moves.get(partition) ?? -Infinity;
  }

  /** By partition: how far the history has been written. */
  historyOffsets(): Promise<readonly number[]> {
    return this.log.committedOffsets('status', CONSUMER_GROUPS.history.group);
  }

  async stop(): Promise<void> {
    await this.tail.stop();
  }
}
