import { rowsValidated, stageDuration } from '../../ops/metrics.js';
import { beginSpan, endSpan, SpanKind } from '../../ops/tracing.js';
import { AccountTurns } from '../batch/account-turns.js';
import type { PreparedUpload } from '../encode/prepared-upload.js';
import type { TransitionPublisher } from '../transitions.js';
import type { UploadInFlight } from '../upload-in-flight.js';
import { reasonOfFile } from '../validate/findings.js';
import type { PreparePool } from './prepare-pool.js';

/** What happens to uploads once their verdict is known. */
export interface PreparationOutcomes {
  valid(upload: UploadInFlight, prepared: PreparedUpload): void;
  /** The upload is `failed`, and the log knows it. */
  failed(upload: UploadInFlight): void;
  /** Nothing waits and nothing is being prepared. */
  idle(): void;
  broken(error: unknown): void;
}

/** Hands uploads to the preparing threads, in turn by account, and publishes the verdicts. */
export class Preparation {
  private readonly waiting = new AccountTurns<UploadInFlight>();
  private running = 0;

  constructor(
    private readonly pool: PreparePool,
    private readonly publisher: TransitionPublisher,
    private readonly outcomes: PreparationOutcomes,
  ) {}

  get isIdle(): boolean {
    return this.running === 0 && this.waiting.length === 0;
  }

  add(upload: UploadInFlight): void {
    this.waiting.push(upload);
    this.pump();
  }

  private pump(): void {
    // One task more than threads, so that no thread waits for its next.
    while (this.running <= this.pool.threads) {
      const upload = this.waiting.next();
      if (upload === undefined) return;
      this.running++;
      this.prepare(upload)
        .catch((error: unknown) => {
          this.outcomes.broken(error);
        })
        .finally(() => {
          this.running--;
          this.pump();
          if (this.isIdle) this.outcomes.idle();
        });
    }
  }

  private async prepare(upload: UploadInFlight): Promise<void> {
    const { family, parts, end } = upload.upload;
    if (parts === undefined) {
      await this.fail(
        upload,
        reasonOfFile('the upload is no longer in the log, send the file again'),
      );
      return;
    }
    const { finding, requestDay, integratedChannels } = end;
    const endTimer = stageDuration.startTimer({ stage: 'validate' });
    const span = beginSpan('validate', SpanKind.INTERNAL, upload.span);
    const verdict = await this.pool.run({
      family,
      parts,
      facts: { finding, requestDay, integratedChannels },
    });
    endTimer();
    endSpan(span);
    if (!verdict.valid) {
      await this.fail(upload, verdict.reason);
      return;
    }
    const { rows } = verdict.upload;
    rowsValidated.inc({ family }, rows);
    upload.rows = { ...upload.rows, validated: rows };
    // Not awaited: the fold is by rank, so the transitions that follow need not wait for this one.
    this.publisher.publish([upload], 'validated').catch((error: unknown) => {
      this.outcomes.broken(error);
    });
    this.outcomes.valid(upload, verdict.upload);
  }

  private async fail(upload: UploadInFlight, reason: string): Promise<void> {
    await this.publisher.publish([upload], 'failed', reason);
    this.outcomes.failed(upload);
  }
}
