import type { ErasureFence } from '../domain/erasure-fence.js';
import { retrying } from '../domain/retry.js';
import type { Status } from '../domain/requests/status.js';
import { advance, type RowCounts } from '../domain/requests/transition.js';
import { transitionRecord } from '../domain/requests/transition-record.js';
import { LogUnavailableError, type UploadLog } from '../log/upload-log.js';
import { logErrors, stageDuration, transitions } from '../ops/metrics.js';
import { isErased, type UploadInFlight } from './upload-in-flight.js';

const NO_ROWS: RowCounts = { validated: 0, stored: 0, readBack: 0 };

/** Publishes the transitions of uploads; waits as long as the log does not take them. */
export class TransitionPublisher {
  private sentMax = 0n;

  constructor(
    private readonly log: UploadLog,
    private readonly fence: ErasureFence,
    private readonly signal: AbortSignal,
  ) {}

  /** A version seen in the log: what is published afterwards tells of it (`sentMax`). */
  observe(version: bigint): void {
    if (version > this.sentMax) this.sentMax = version;
  }

  /** Resolves when the log has the transition of every upload but those of erased accounts. */
  async publish(
    all: readonly UploadInFlight[],
    status: Status,
    reason: string | null = null,
  ): Promise<void> {
    const uploads = all.filter((upload) => !isErased(this.fence, upload));
    if (uploads.length === 0) return;
    const now = Date.now();
    const sentMax = this.sentMax.toString();
    for (const upload of uploads) {
      const rows = status === 'failed' ? NO_ROWS : upload.rows;
      upload.transition = advance(upload.transition, { status, reason, sentMax, rows }, now);
    }
    const records = uploads.map(({ transition }) => transitionRecord(transition));
    const end = stageDuration.startTimer({ stage: 'publish' });
    await retrying(
      () => this.log.append('status', records),
      (error) => {
        logErrors.inc({ operation: 'append' });
        return error instanceof LogUnavailableError;
      },
      this.signal,
    );
    end();
    for (const { transition } of uploads) transitions.inc({ family: transition.family, status });
  }
}
