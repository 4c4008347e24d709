import type { PreparedUpload } from '../csv/prepared-upload.js';
import { FAMILIES, type FamilyName } from '../domain/families/index.js';
import { retrying } from '../domain/retry.js';
import type { Cause } from '../log/uploads/dead-letter.js';
import { readUpload } from '../log/uploads/read-upload.js';
import { LogUnavailableError } from '../log/upload-log.js';
import { rowsValidated, uploadsInFlight } from '../ops/metrics.js';
import { Batcher } from './batch/batcher.js';
import type { CrashJournal } from './crash/crash-journal.js';
import { SoloGate } from './crash/solo-gate.js';
import type { IngestDependencies } from './dependencies.js';
import { type Unprepared, Preparation } from './prepare/preparation.js';
import type { Preparer } from './prepare/prepare-pool.js';
import { TransitionPublisher } from '../status/publisher.js';
import type { UploadInFlight } from './upload-in-flight.js';
import { giveUp } from './write/give-up.js';
import { BatchWriter } from './write/write-batch.js';

/** Takes complete uploads from their records to their final status. */
export class UploadProcessor {
  private readonly gate: SoloGate;
  private readonly preparation: Preparation;
  private readonly batchers: ReadonlyMap<FamilyName, Batcher>;
  private readonly publisher: TransitionPublisher;
  private inside = 0;
  private hasFailed = false;

  /**
   * @param isMoreComing whether uploads are on their way to `process`
   * @param signal aborted: nothing is waited for any more
   */
  constructor(
    private readonly dependencies: IngestDependencies,
    private readonly pool: Preparer,
    private readonly journal: CrashJournal,
    isMoreComing: () => boolean,
    private readonly signal: AbortSignal,
  ) {
    const { config, log, rows, fence, logger } = dependencies;
    this.gate = new SoloGate(journal);
    this.publisher = new TransitionPublisher(log, fence, signal);
    this.preparation = new Preparation(
      pool,
      (upload) =>
        retrying(
          () => readUpload(log, upload),
          (error) => error instanceof LogUnavailableError,
          signal,
        ),
      signal,
    );
    const writer = new BatchWriter({
      ...{ log, rows, fence, logger, signal },
      publisher: this.publisher,
    });
    this.batchers = new Map(
      FAMILIES.map(({ name }) => [
        name,
        new Batcher(
          config.limits,
          () => !this.preparation.isIdle || isMoreComing(),
          (batch) => writer.write(batch),
        ),
      ]),
    );
  }

  /**
   * Resolves when the upload is `succeeded` or `failed` and the log knows it: its records are no
   * longer needed. Pending when a stop does not wait for it.
   *
   * @throws whatever ends the process, whose successor processes the upload again
   */
  async process(upload: UploadInFlight): Promise<void> {
    uploadsInFlight.set(++this.inside);
    this.publisher.observe(upload.version);
    try {
      await this.toFinalStatus(upload);
    } catch (error) {
      // Whatever it was may meet the next process again: see `close`.
      if (!this.signal.aborted) this.hasFailed = true;
      throw error;
    }
    uploadsInFlight.set(--this.inside);
  }

  /** After a failure the uploads inside are suspects of the next process, as after its death. */
  close(): void {
    for (const batcher of this.batchers.values()) batcher.close();
    this.gate.close();
    this.journal.close(this.hasFailed);
  }

  private async toFinalStatus(upload: UploadInFlight): Promise<void> {
    const { requestId } = upload;
    // 1. Alone, if it may have ended a process before; to the dead letters after three deaths.
    const deaths = await this.gate.enter(requestId);
    if (deaths !== undefined) {
      await this.giveUp(upload, { kind: 'crash', deaths });
      this.journal.end(requestId);
      return;
    }
    // 2. Parse, validate, group, encode: on a thread, accounts taking turns.
    const verdict = await this.preparation.prepare(upload);
    // 3. In a batch: on disk, `ingested`, read back, `succeeded`. Or `failed`.
    const ended = verdict.valid ? this.write(upload, verdict.upload) : this.fail(upload, verdict);
    // A batch need not wait for more once nothing more is being prepared.
    if (this.preparation.isIdle) this.flush();
    await ended;
    this.gate.leave(requestId);
  }

  private flush(): void {
    for (const batcher of this.batchers.values()) batcher.flushIfReady();
  }

  private async write(upload: UploadInFlight, prepared: PreparedUpload): Promise<void> {
    const { family } = upload;
    const { rows } = prepared;
    rowsValidated.inc({ family }, rows);
    upload.rows = { ...upload.rows, validated: rows };
    // Side by side: the fold is by rank, so the transitions that follow need not wait for this one.
    await Promise.all([
      this.publisher.publish([upload], 'validated'),
      this.batchers.get(family)!.write(upload, prepared),
    ]);
    this.pool.release(prepared);
  }

  private async fail(upload: UploadInFlight, verdict: Unprepared): Promise<void> {
    if (verdict.error !== undefined) {
      await this.giveUp(upload, { kind: 'exception', error: nameOf(verdict.error) });
      return;
    }
    await this.publisher.publish([upload], 'failed', verdict.reason);
    const { requestId, account } = upload;
    this.dependencies.logger.info({ requestId, account }, 'upload failed');
  }

  private giveUp(upload: UploadInFlight, cause: Cause): Promise<void> {
    const { publisher, signal } = this;
    return giveUp({ ...this.dependencies, publisher, signal }, upload, cause);
  }
}

/** Never its text, which may hold a value of the file. */
function nameOf(error: Error): string {
  const { code } = error as NodeJS.ErrnoException;
  return code ?? error.name;
}
