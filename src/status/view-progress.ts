import { inTime } from '../domain/in-time.js';
import { unlessAway, type UploadLog } from '../log/upload-log.js';
import type { StatusTail } from './status-tail.js';

/** Below the time limit of a readiness check: a log that answers later counts as away. */
const LOG_ANSWER_MS = 500;

/** A partition that has been seen ahead of the view. */
interface Ahead {
  readonly end: number;
  readonly since: number;
}

/**
 * Tells a status view that has stopped from a slow one: the topic's end has moved in a partition
 * and the view has not. While the log does not answer, neither is known.
 */
export class ViewProgress {
  private readonly ahead = new Map<number, Ahead>();

  /** @param stalledMs how long a view with records left to read may stand still */
  constructor(
    private readonly log: Pick<UploadLog, 'endOffsets'>,
    private readonly tail: Pick<StatusTail, 'isAt' | 'movedAt'>,
    private readonly stalledMs: number,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** @throws Error when the view has stopped; later calls tell whether it moves again */
  async check(): Promise<void> {
    const ends = await this.ends();
    if (ends === undefined) {
      this.ahead.clear();
      return;
    }
    for (const [partition, end] of ends.entries()) {
      const standing = await this.standingFor(partition, end);
      if (standing < this.stalledMs) continue;
      throw new Error(
        `the view of the status topic has not moved for ${Math.floor(standing / 1000)} s`,
      );
    }
  }

  /** For how many milliseconds the view has not moved in the partition although it could. */
  private async standingFor(partition: number, end: number): Promise<number> {
    const before = this.ahead.get(partition);
    if (before !== undefined && (await this.tail.isAt(partition, before.end))) {
      this.ahead.delete(partition);
    }
    if (await this.tail.isAt(partition, end)) return 0;
    const ahead = this.ahead.get(partition) ?? { end, since: this.now() };
    this.ahead.set(partition, ahead);
    return this.now() - Math.max(ahead.since, this.tail.movedAt(partition));
  }

  private ends(): Promise<readonly number[] | undefined> {
    return unlessAway(inTime(this.log.endOffsets('status'), LOG_ANSWER_MS, () => undefined));
  }
}
