import { inTime } from '../../domain/in-time.js';
import { unlessAway, type UploadLog } from '../../log/upload-log.js';
import type { OwnedPartition } from '../watermark/owned-partition.js';
import type { Assembler } from './assembler.js';

/** A partition that this process consumes. */
export interface ConsumedPartition {
  readonly owned: OwnedPartition;
  readonly assembler: Assembler;
}

/**
 * Tells the assemblers where their partitions end. So the rest of an upload whose gateway died does
 * not hold the watermark for ever in a partition that gets no further record. Asks the log only
 * while uploads are open.
 */
export class EndWatch {
  private readonly timer: NodeJS.Timeout;
  private lookedAt = performance.now();
  private isLooking = false;

  /**
   * @param assignments by partition, as they are at any time
   * @param everyMs how often the log is asked
   */
  constructor(
    private readonly log: UploadLog,
    private readonly assignments: ReadonlyMap<number, ConsumedPartition>,
    private readonly everyMs: number,
    onFailure: (error: unknown) => void,
  ) {
    this.timer = setInterval(() => {
      if (!this.isLooking) this.look().catch(onFailure);
    }, everyMs).unref();
  }

  stop(): void {
    clearInterval(this.timer);
  }

  private async look(): Promise<void> {
    const askedAt = performance.now();
    // A process that was stopped has seen nothing of the log meanwhile.
    const wasHalted = askedAt - this.lookedAt > 2 * this.everyMs;
    this.lookedAt = askedAt;
    const open = [...this.assignments].filter(([, { assembler }]) => assembler.hasOpenUploads);
    this.isLooking = true;
    const looks = open.map(async ([partition, { owned, assembler }]) => {
      await assembler.lookAtEnd(wasHalted ? undefined : await this.end(partition), askedAt);
      owned.commitSoon();
    });
    await Promise.all(looks);
    this.isLooking = false;
  }

  /** Undefined: the log does not answer, or the partition has no leader. */
  private end(partition: number): Promise<number | undefined> {
    const end = this.log.endOffset('uploads', partition);
    // Before the next look is due: one that is missed counts as a halt.
    return unlessAway(inTime(end, this.everyMs / 2, () => undefined));
  }
}
