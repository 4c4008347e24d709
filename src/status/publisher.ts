import type { ErasedUploads } from '../domain/erased-uploads.js';
import { retrying } from '../domain/retry.js';
import { advance, type RowCounts, type Status, type Transition } from './transition.js';
import { LogUnavailableError, type RecordToAppend, type UploadLog } from '../log/upload-log.js';
import { logErrors, stageDuration, transitions } from '../ops/metrics.js';

/**
 * Transitions appended together, half a MB of them. Those of one partition are one batch at the
 * broker, which takes 2 MiB, and a batch of small files has tens of thousands of uploads.
 */
const MOST_APPENDED = 1_000;
const NO_ROWS: RowCounts = { validated: 0, stored: 0, readBack: 0 };

/** An upload whose transitions are published. */
export interface PublishedUpload {
  readonly account: string;
  readonly version: bigint;
  /** The latest transition published. */
  transition: Transition;
  readonly rows: RowCounts;
}

/** Publishes later transitions; waits as long as the log does not take them. */
export class TransitionPublisher {
  private sentMax = 0n;

  /** @param waits called with uploads whose transitions the log has not taken yet */
  constructor(
    private readonly log: UploadLog,
    private readonly erased: ErasedUploads,
    private readonly signal: AbortSignal,
    private readonly waits: (uploads: readonly PublishedUpload[]) => void,
  ) {}

  /** Notes a version seen in the log: later transitions carry the highest (`sentMax`). */
  observe(version: bigint): void {
    if (version > this.sentMax) this.sentMax = version;
  }

  /** Resolves when the log has the transition of every upload, except those of erased accounts. */
  async publish(
    all: readonly PublishedUpload[],
    status: Status,
    reason: string | null = null,
  ): Promise<void> {
    const uploads = all.filter(({ account, version }) => !this.erased.covers(account, version));
    if (uploads.length === 0) return;
    const now = Date.now();
    const sentMax = this.sentMax.toString();
    for (const upload of uploads) {
      const rows = status === 'failed' ? NO_ROWS : upload.rows;
      upload.transition = advance(upload.transition, { status, reason, sentMax, rows }, now);
    }
    const end = stageDuration.startTimer({ stage: 'publish' });
    const appends: Promise<unknown>[] = [];
    for (let from = 0; from < uploads.length; from += MOST_APPENDED) {
      appends.push(this.append(uploads.slice(from, from + MOST_APPENDED)));
    }
    await Promise.all(appends);
    end();
    for (const { transition } of uploads) transitions.inc({ family: transition.family, status });
  }

  private append(uploads: readonly PublishedUpload[]): Promise<unknown> {
    const records = uploads.map(({ transition }) => transitionRecord(transition));
    return retrying(
      () => this.log.append('status', records),
      (error) => {
        logErrors.inc({ operation: 'append' });
        if (!(error instanceof LogUnavailableError)) return false;
        this.waits(uploads);
        return true;
      },
      this.signal,
    );
  }
}

/** A transition as a record of the status topic: keyed by the request, its value is JSON. */
export function transitionRecord(transition: Transition): RecordToAppend {
  return {
    key: transition.requestId,
    headers: {},
    value: Buffer.from(JSON.stringify(transition), 'utf8'),
  };
}

/** The transition in a record's value. Only this service writes the topic. */
export function transitionOf(value: Buffer): Transition {
  return JSON.parse(value.toString('utf8')) as Transition;
}
