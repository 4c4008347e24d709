import { transitionOf } from '../domain/requests/transition-record.js';
import type { VersionClock } from '../domain/version.js';
import type { LogRecord, Tail, UploadLog } from '../log/upload-log.js';
import { HISTORY_GROUP } from './history-writer.js';
import type { StatusView } from './status-view.js';

/**
 * Follows the status topic into the view and into this gateway's version clock.
 *
 * It begins no later than where the history has been written to, so that view and history together
 * know every request; and early enough to read the last transition of every partition, whose
 * `sentMax` tells the versions that were given before this process began.
 */
export class StatusTail {
  private constructor(
    private readonly log: UploadLog,
    private readonly tail: Tail,
  ) {}

  static async start(log: UploadLog, view: StatusView, clock: VersionClock): Promise<StatusTail> {
    const written = await log.committedOffsets('status', HISTORY_GROUP);
    const ends = await log.endOffsets('status');
    const from = ends.map((end, partition) =>
      Math.min(written[partition] ?? 0, Math.max(0, end - 1)),
    );
    const tail = await log.tail('status', from, (records: readonly LogRecord[]) => {
      for (const record of records) {
        const transition = transitionOf(record.value);
        clock.observe(BigInt(transition.sentMax));
        clock.observe(BigInt(transition.version));
        view.apply(transition, record);
      }
    });
    return new StatusTail(log, tail);
  }

  /** Rejects when what happens to requests can be followed no longer: every answer would be old. */
  get failed(): Promise<never> {
    return this.tail.failed;
  }

  /** Resolves when everything that was on the topic when this was called has been seen. */
  async caughtUp(timeoutMs: number): Promise<void> {
    await this.tail.reached(await this.log.endOffsets('status'), timeoutMs);
  }

  /** By partition: how far the history has been written. */
  historyOffsets(): Promise<readonly number[]> {
    return this.log.committedOffsets('status', HISTORY_GROUP);
  }

  async stop(): Promise<void> {
    await this.tail.stop();
  }
}
