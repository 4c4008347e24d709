import type { Consumption } from '../../log/upload-log.js';
import { stageDuration } from '../../ops/metrics.js';

/**
 * A partition while this consumer owns it: its watermark and the commits of it. After a revocation
 * or a failed commit it commits nothing more, whatever happens to its uploads.
 */
export class OwnedPartition {
  readonly watermark: Watermark;
  revoked = false;
  private committed: number;
  private committing: Promise<void> | undefined;
  private hasFailed = false;

  constructor(
    readonly partition: number,
    offset: number,
    private readonly consumption: () => Consumption,
    private readonly onError: (error: unknown) => void,
  ) {
    this.watermark = new Watermark(offset);
    this.committed = offset;
  }

  /** Commits the watermark if it has moved; one commit at a time, the latest value wins. */
  commitSoon(): void {
    if (this.committing !== undefined || this.revoked || this.hasFailed) return;
    if (this.watermark.value <= this.committed) return;
    this.committing = this.commit()
      .catch((error: unknown) => {
        this.hasFailed = true;
        this.onError(error);
      })
      .finally(() => {
        this.committing = undefined;
        this.commitSoon();
      });
  }

  /** Resolves when the current watermark has been committed, or can no longer be. */
  async commitNow(): Promise<void> {
    this.commitSoon();
    while (this.committing !== undefined) await this.committing;
  }

  private async commit(): Promise<void> {
    const { value } = this.watermark;
    const end = stageDuration.startTimer({ stage: 'commit' });
    await this.consumption().commit(this.partition, value);
    this.committed = value;
    end();
  }
}

/**
 * How far one partition may be committed: never past the first record of an upload that is not yet
 * durable in the warehouse.
 *
 * Holds are taken while the partition is read, so their offsets only grow. A Map keeps the order of
 * insertion: the first hold is the lowest.
 */
export class Watermark {
  private readonly holds = new Map<string, number>();

  /** @param next the offset of the next record to read */
  constructor(private next: number) {}

  /**
   * Keeps the watermark at or below `offset` until the upload is released.
   *
   * @returns false when the upload has a hold already, which stays
   */
  hold(requestId: string, offset: number): boolean {
    if (this.holds.has(requestId)) return false;
    this.holds.set(requestId, offset);
    return true;
  }

  release(requestId: string): void {
    this.holds.delete(requestId);
  }

  /** Every record below `next` has been read. */
  advance(next: number): void {
    this.next = Math.max(this.next, next);
  }

  /** The offset of the next record to read. */
  get position(): number {
    return this.next;
  }

  get value(): number {
    for (const offset of this.holds.values()) return offset;
    return this.next;
  }
}
