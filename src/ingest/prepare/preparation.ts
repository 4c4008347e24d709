import { rowsValidated, stageDuration } from '../../ops/metrics.js';
import { beginSpan, endSpan, SpanKind } from '../../ops/tracing.js';
import { AccountTurns } from '../batch/account-turns.js';
import type { CompleteUpload } from '../assemble/complete-upload.js';
import type { PreparedUpload, Verdict } from '../../csv/prepared-upload.js';
import type { TransitionPublisher } from '../transitions.js';
import type { UploadInFlight } from '../upload-in-flight.js';
import { reasonOfFile } from '../../csv/findings.js';
import type { Preparer, PrepareWork } from './preparer.js';

/** What happens to uploads once their verdict is known, or once it is known that there will be none. */
export interface PreparationOutcomes {
  valid(upload: UploadInFlight, prepared: PreparedUpload): void;
  /** The upload is `failed`, and the log knows it. */
  failed(upload: UploadInFlight): void;
  /** Preparing it throws, although it is alone and another file can be prepared. */
  unpreparable(upload: UploadInFlight, error: unknown): Promise<void>;
  /** The file's parts, which have gone with the thread; undefined: they are no longer in the log. */
  readAgain(upload: UploadInFlight): Promise<CompleteUpload['parts']>;
  /** Nothing waits and nothing is being prepared. */
  idle(): void;
  broken(error: unknown): void;
}

/** What a thread can prepare that can prepare anything. */
const PROBE: PrepareWork = {
  family: 'cost',
  parts: [],
  facts: { finding: null, requestDay: 0, integratedChannels: [] },
};

/**
 * Hands uploads to the preparing threads, in turn by account, and publishes the verdicts.
 *
 * An exception belongs to the upload that was being prepared, the death of a thread to one of those
 * that it had. Each of them is prepared once more, with nothing beside it; what throws again is not
 * prepared a third time.
 */
export class Preparation {
  private readonly waiting = new AccountTurns<UploadInFlight>();
  /** Uploads that have met an exception. */
  private readonly suspects: UploadInFlight[] = [];
  private running = 0;
  private isSuspectRunning = false;

  /** @param signal aborted: what throws from now on says nothing about an upload */
  constructor(
    private readonly pool: Pick<Preparer, 'threads' | 'run'>,
    private readonly publisher: TransitionPublisher,
    private readonly outcomes: PreparationOutcomes,
    private readonly signal: AbortSignal,
  ) {}

  get isIdle(): boolean {
    return this.running === 0 && this.waiting.length === 0 && this.suspects.length === 0;
  }

  add(upload: UploadInFlight): void {
    this.waiting.push(upload);
    this.pump();
  }

  private pump(): void {
    // One task more than threads, so that no thread waits for its next.
    while (this.running <= this.pool.threads && !this.isSuspectRunning) {
      if (this.suspects.length > 0) {
        if (this.running > 0) return;
        this.isSuspectRunning = true;
        this.begin(this.suspects.shift()!);
        return;
      }
      const upload = this.waiting.next();
      if (upload === undefined) return;
      this.begin(upload);
    }
  }

  private begin(upload: UploadInFlight): void {
    const isSuspect = this.isSuspectRunning;
    this.running++;
    this.prepare(upload, isSuspect)
      .catch((error: unknown) => {
        this.outcomes.broken(error);
      })
      .finally(() => {
        this.running--;
        if (isSuspect) this.isSuspectRunning = false;
        this.pump();
        if (this.isIdle) this.outcomes.idle();
      });
  }

  private async prepare(upload: UploadInFlight, isSuspect: boolean): Promise<void> {
    const { family, end } = upload.upload;
    const parts = isSuspect ? await this.outcomes.readAgain(upload) : upload.upload.parts;
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
    let verdict: Verdict;
    try {
      const facts = { finding, requestDay, integratedChannels };
      verdict = await this.pool.run({ family, parts, facts });
    } catch (error) {
      await this.thrown(upload, error, isSuspect);
      return;
    } finally {
      endSpan(span);
    }
    endTimer();
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

  private async thrown(upload: UploadInFlight, error: unknown, isSuspect: boolean): Promise<void> {
    if (this.signal.aborted) throw error;
    if (!isSuspect) {
      this.suspects.push(upload);
      return;
    }
    // Rejects when nothing can be prepared any more, which is no upload's fault.
    await this.pool.run(PROBE);
    await this.outcomes.unpreparable(upload, error);
  }

  private async fail(upload: UploadInFlight, reason: string): Promise<void> {
    await this.publisher.publish([upload], 'failed', reason);
    this.outcomes.failed(upload);
  }
}
