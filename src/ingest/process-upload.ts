import { FAMILIES, type FamilyName } from '../domain/families/index.js';
import { retrying } from '../domain/retry.js';
import { readUpload } from '../log/uploads/read-upload.js';
import { isLogUnavailable } from '../log/upload-log.js';
import { rowsValidated } from '../ops/metrics.js';
import { Batcher } from './batch/batcher.js';
import type { CrashJournal } from './crash/crash-journal.js';
import { SoloGate } from './crash/solo-gate.js';
import type { IngestDependencies, StepDependencies } from './dependencies.js';
import { type Unprepared, Preparation } from './prepare/preparation.js';
import type { Preparer } from './prepare/prepare-pool.js';
import { TransitionPublisher } from '../status/publisher.js';
import type { UploadInFlight, ValidUpload } from './upload-in-flight.js';
import { deadLetter, failUpload } from './write/fail-upload.js';
import { BatchSettler } from './write/settle-batch.js';
import { type Held, WithoutMemory } from './write/without-memory.js';

/** Takes complete uploads from their records to their final status. */
export class UploadProcessor implements Held {
  private readonly gate: SoloGate;
  private readonly preparation: Preparation;
  private readonly batchers: ReadonlyMap<FamilyName, Batcher>;
  private readonly withoutMemory: WithoutMemory;
  private readonly steps: StepDependencies;
  private hasFailed = false;

  /**
   * @param isMoreComing whether uploads are on their way to `process`
   * @param mayLeave called with an upload that may wait for hours, also twice: others may have its
   * room
   * @param signal aborted: nothing is waited for any more
   */
  constructor(
    dependencies: IngestDependencies,
    private readonly preparer: Preparer,
    private readonly journal: CrashJournal,
    isMoreComing: () => boolean,
    private readonly mayLeave: (upload: UploadInFlight) => void,
    private readonly signal: AbortSignal,
  ) {
    const { config, log, erased } = dependencies;
    const waits: StepDependencies['waits'] = (uploads) => {
      for (const { transition } of uploads) journal.putOff(transition.requestId);
    };
    const publisher = new TransitionPublisher(log, erased, signal, waits);
    this.steps = { ...dependencies, publisher, waits, signal };
    this.gate = new SoloGate(journal);
    this.preparation = new Preparation(preparer, (upload) => this.readAgain(upload), signal);
    const settler = new BatchSettler(this.steps);
    this.withoutMemory = new WithoutMemory(this.steps, settler, this);
    this.batchers = new Map(
      FAMILIES.map(({ name }) => [
        name,
        new Batcher(config.limits, () => !this.preparation.isIdle || isMoreComing(), settler),
      ]),
    );
  }

  /**
   * Resolves when the upload is `succeeded` or `failed` and the log knows it: its records are no
   * longer needed. Pending when a stop does not wait for it.
   *
   * @throws whatever ends the process; the next one processes the upload again
   */
  async process(upload: UploadInFlight): Promise<void> {
    this.steps.publisher.observe(upload.version);
    try {
      // 1. Alone, if it may have ended a process before; to the dead letters after three deaths.
      const deaths = await this.gate.enter(upload);
      if (deaths !== undefined) {
        // The journal keeps its deaths: another upload may end this process before it commits.
        await deadLetter(this.steps, upload, { kind: 'crash', deaths });
        return;
      }
      // 2. Parse, validate, group, encode: on a thread, accounts taking turns.
      const verdict = await this.preparation.prepare(upload);
      // 3. In a batch: on disk, `ingested`, read back, `succeeded`. Or `failed`.
      const ended = verdict.valid
        ? this.write(Object.assign(upload, { prepared: verdict.upload }))
        : failUpload(this.steps, upload, verdict);
      // A batch waits for nothing once no upload is being prepared.
      if (this.preparation.isIdle) this.flush();
      await ended;
      // 4. The next upload that has to run alone may begin.
      this.gate.leave(upload);
    } catch (error) {
      // The next process may meet the same: see `close`.
      if (!this.signal.aborted) this.hasFailed = true;
      throw error;
    }
  }

  letGo(upload: UploadInFlight): void {
    this.gate.putOff(upload);
    this.release(upload);
    this.mayLeave(upload);
  }

  async prepareAgain(upload: UploadInFlight): Promise<Unprepared | undefined> {
    const parts = await this.readAgain(upload);
    const verdict = await this.preparation.prepare(Object.assign(upload, { parts }));
    if (this.preparation.isIdle) this.flush();
    if (!verdict.valid) return verdict;
    upload.prepared = verdict.upload;
    return undefined;
  }

  /** After a failure the next process suspects the uploads inside, as after a crash. */
  close(): void {
    for (const batcher of this.batchers.values()) batcher.close();
    this.gate.close();
    this.journal.close(this.hasFailed);
  }

  /** The file once more, for one attempt. If several end the process, this upload is the cause. */
  private async readAgain(upload: UploadInFlight): Promise<UploadInFlight['parts']> {
    const { log, waits } = this.steps;
    const parts = await retrying(
      () => readUpload(log, upload),
      (error) => {
        if (!isLogUnavailable(error)) return false;
        waits([upload]);
        return true;
      },
      this.signal,
    );
    // While the log was away, the journal did not have the upload.
    await this.journal.begin(upload.requestId, true);
    return parts;
  }

  private flush(): void {
    for (const batcher of this.batchers.values()) batcher.flushIfReady();
  }

  private async write(upload: ValidUpload): Promise<void> {
    const { family, prepared } = upload;
    const { rows } = prepared;
    rowsValidated.inc({ family }, rows);
    upload.rows = { ...upload.rows, validated: rows };
    // Side by side: the fold is by rank, so later transitions need not wait for this one.
    await Promise.all([this.steps.publisher.publish([upload], 'validated'), this.store(upload)]);
    this.release(upload);
  }

  private async store(upload: ValidUpload): Promise<void> {
    const short = await this.batchers.get(upload.family)!.write(upload);
    // Alone, once the warehouse has memory for it.
    if (short !== undefined) await this.withoutMemory.settle(upload, short);
  }

  /** The next upload's columns overwrite those of this one. */
  private release(upload: UploadInFlight): void {
    if (upload.prepared === undefined) return;
    this.preparer.release(upload.prepared);
    upload.prepared = undefined;
  }
}
