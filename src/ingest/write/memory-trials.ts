import { Backoff, sleep } from '../../domain/retry.js';
import type { Logger } from '../../ops/logger.js';
import { uploadsShortOfMemory } from '../../ops/metrics.js';
import { WarehouseError } from '../../warehouse/warehouse.js';
import type { Unprepared } from '../prepare/preparation.js';
import type { InsertSize } from '../../warehouse/row-store.js';
import type { ValidUpload } from '../upload-in-flight.js';

/** What is said of an upload that is not stored. */
export type NotStored = WarehouseError | Unprepared;

const TRIALS = 5;
const TRIED_FOR_MS = 10 * 60_000;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;
/** By then the server's other work has changed, and the log still has the upload for long. */
const SMALLER_PROBE_AFTER_MS = 6 * 3_600_000;

interface Waiting {
  readonly upload: ValidUpload;
  readonly size: InsertSize;
  /** On the clock of `performance.now`, as all times here. */
  readonly since: number;
  failures: number;
  firstFailure: number;
  readonly settle: (outcome: NotStored | undefined) => void;
  readonly reject: (error: unknown) => void;
}

export interface TrialStatements {
  /** Stores the upload. Resolves with why it is not stored. */
  readonly tryOnce: (upload: ValidUpload) => Promise<NotStored | undefined>;
  /** Whether an insert that needs as much memory succeeds. */
  readonly probe: (size: InsertSize) => Promise<boolean>;
}

/**
 * Uploads for which the warehouse has no memory. Either other statements have taken the memory,
 * which passes, or the upload is too large, which does not.
 *
 * Each is tried again and again, alone, between two probes: inserts that need as much memory. The
 * upload is the cause only when it has failed `TRIALS` times over `TRIED_FOR_MS` while both probes
 * succeeded each time. As long as probes fail as well, it waits. If they fail for hours, because
 * the upload is large and the server small, smaller probes decide: half the size after every
 * `SMALLER_PROBE_AFTER_MS` (docs/decisions/too-little-memory.md).
 */
export class MemoryTrials {
  private readonly waiting = new Set<Waiting>();
  private isRunning = false;

  constructor(
    private readonly statements: TrialStatements,
    private readonly logger: Logger,
    private readonly signal: AbortSignal,
  ) {}

  /**
   * Resolves with nothing when the upload is stored, with the error when it is to be set aside, or
   * with why it cannot be prepared. Never once the signal is aborted: the next process replays it.
   *
   * @throws whatever else a trial throws, of this upload or another
   */
  settle(upload: ValidUpload, size: InsertSize): Promise<NotStored | undefined> {
    return new Promise((resolve, reject) => {
      const waiting: Waiting = {
        upload,
        size,
        since: performance.now(),
        failures: 0,
        firstFailure: 0,
        settle: (outcome) => {
          this.waiting.delete(waiting);
          uploadsShortOfMemory.set(this.waiting.size);
          resolve(outcome);
        },
        reject,
      };
      this.waiting.add(waiting);
      uploadsShortOfMemory.set(this.waiting.size);
      if (this.isRunning) return;
      this.run().catch((error: unknown) => {
        for (const each of this.waiting) each.reject(error);
        this.waiting.clear();
        this.isRunning = false;
      });
    });
  }

  private async run(): Promise<void> {
    this.isRunning = true;
    const backoff = new Backoff(FIRST_PAUSE_MS, LONGEST_PAUSE_MS);
    while (this.waiting.size > 0) {
      await sleep(backoff.next(), this.signal);
      if (this.signal.aborted) return;
      if (await this.tryAll()) backoff.reset();
    }
    this.isRunning = false;
  }

  /**
   * The smallest first: if it does not fit, larger ones do not either.
   *
   * @returns whether any was stored
   */
  private async tryAll(): Promise<boolean> {
    const { probe, tryOnce } = this.statements;
    const bySize = [...this.waiting].sort((a, b) => a.size.bytes - b.size.bytes);
    let hasStored = false;
    for (const waiting of bySize) {
      if (this.signal.aborted) break;
      const passedBefore = await probe(probeOf(waiting));
      const outcome = await tryOnce(waiting.upload);
      const failure = outcome instanceof WarehouseError ? outcome.failure : undefined;
      // No answer is an outage, not a verdict.
      if (failure === 'retry') break;
      if (failure !== 'memory') {
        waiting.settle(outcome);
        hasStored = true;
      } else if (passedBefore && (await probe(probeOf(waiting)))) {
        this.noteFailure(waiting, outcome!);
      } else {
        break;
      }
    }
    return hasStored;
  }

  private noteFailure(waiting: Waiting, outcome: NotStored): void {
    const now = performance.now();
    if (waiting.failures++ === 0) waiting.firstFailure = now;
    const { requestId, account } = waiting.upload;
    this.logger.warn(
      { requestId, account, failures: waiting.failures, bytes: waiting.size.bytes },
      'the warehouse has no memory for this upload alone',
    );
    const isProved = waiting.failures >= TRIALS && now - waiting.firstFailure >= TRIED_FOR_MS;
    if (isProved) waiting.settle(outcome);
  }
}

function probeOf({ size, since }: Waiting): InsertSize {
  const halvings = Math.floor((performance.now() - since) / SMALLER_PROBE_AFTER_MS);
  return {
    ...size,
    keys: Math.max(1, Math.floor(size.keys / 2 ** halvings)),
    bytes: Math.floor(size.bytes / 2 ** halvings),
  };
}
