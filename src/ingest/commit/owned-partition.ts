import type { Consumption } from '../../log/upload-log.js';
import { stageDuration } from '../../ops/metrics.js';
import { Watermark } from './watermark.js';

/**
 * A partition while this consumer owns it: its watermark, and the commit of it. Once revoked, or
 * once a commit has failed, it commits nothing more, whatever still happens to its uploads.
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

  /** Resolves when the watermark as it is now has been committed, or cannot be any more. */
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
