import type { Cause } from '../log/uploads/dead-letter.js';
import { FAMILIES, type FamilyName } from '../domain/families/index.js';
import { retrying } from '../domain/retry.js';
import { LogUnavailableError } from '../log/upload-log.js';
import { uploadsInFlight } from '../ops/metrics.js';
import { readUpload } from '../log/uploads/read-upload.js';
import { Batcher } from './batch/batcher.js';
import type { CrashJournal } from './crash/crash-journal.js';
import { SoloGate } from './crash/solo-gate.js';
import type { IngestDependencies } from './dependencies.js';
import { Preparation } from './prepare/preparation.js';
import type { Preparer } from './prepare/preparer.js';
import { TransitionPublisher } from './transitions.js';
import type { UploadInFlight } from './upload-in-flight.js';
import { giveUp } from './write/give-up.js';
import { BatchWriter } from './write/write-batch.js';

/** What the pipeline tells whoever fills it. */
export interface PipelineOutcomes {
  /** The upload is `succeeded` or `failed`, and the log knows it. */
  readonly finished: (upload: UploadInFlight) => void;
  /** The pipeline cannot go on. */
  readonly broken: (error: unknown) => void;
}

/** Complete uploads on their way: prepare (on threads) → batch → write, then `finished`. */
export class Pipeline {
  private readonly gate: SoloGate<UploadInFlight>;
  private readonly preparation: Preparation;
  private readonly batchers: ReadonlyMap<FamilyName, Batcher>;
  private readonly publisher: TransitionPublisher;
  private inside = 0;
  private isBroken = false;
  private whenEmpty: (() => void) | undefined;

  /**
   * @param isMoreComing whether uploads are on their way to `add`
   * @param signal aborted: nothing is waited for any more
   */
  constructor(
    private readonly dependencies: IngestDependencies,
    pool: Preparer,
    private readonly journal: CrashJournal,
    private readonly outcomes: PipelineOutcomes,
    isMoreComing: () => boolean,
    private readonly signal: AbortSignal,
  ) {
    const { config, log, rows, fence, logger } = dependencies;
    const broken = (error: unknown): void => {
      // Whatever it was may meet the next process again: see `close`.
      if (!signal.aborted) this.isBroken = true;
      outcomes.broken(error);
    };
    this.publisher = new TransitionPublisher(log, fence, signal);
    const writer = new BatchWriter(
      { log, rows, fence, publisher: this.publisher, logger, signal },
      ({ flight, prepared }) => {
        pool.release(prepared);
        this.finish(flight);
      },
      broken,
    );
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
    this.preparation = new Preparation(
      pool,
      this.publisher,
      {
        valid: (flight, prepared) => {
          this.batchers.get(flight.upload.family)!.add({ flight, prepared });
        },
        failed: (upload) => {
          logger.info({ requestId: upload.requestId, account: upload.account }, 'upload failed');
          this.finish(upload);
        },
        unpreparable: async (upload, error) => {
          await this.giveUp(upload, { kind: 'exception', error: nameOf(error) });
          this.finish(upload);
        },
        readAgain: ({ upload }) =>
          retrying(
            () => readUpload(log, upload),
            (error) => error instanceof LogUnavailableError,
            signal,
          ),
        idle: () => {
          for (const batcher of this.batchers.values()) batcher.flushIfReady();
        },
        broken,
      },
      signal,
    );
    this.gate = new SoloGate<UploadInFlight>(
      journal,
      (upload) => {
        this.preparation.add(upload);
      },
      (upload, deaths) => {
        this.refuse(upload, deaths);
      },
      outcomes.broken,
    );
  }

  add(upload: UploadInFlight): void {
    this.inside++;
    uploadsInFlight.set(this.inside);
    this.publisher.observe(upload.version);
    this.gate.add(upload);
  }

  /** Resolves when every upload inside has been finished. */
  empty(): Promise<void> {
    if (this.inside === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.whenEmpty = resolve;
    });
  }

  /** After an exception the uploads inside are suspects of the next process, as after its death. */
  close(): void {
    for (const batcher of this.batchers.values()) batcher.close();
    this.gate.close();
    this.journal.close(this.isBroken);
  }

  private refuse(upload: UploadInFlight, deaths: number): void {
    this.giveUp(upload, { kind: 'crash', deaths }).then(() => {
      this.journal.end(upload.requestId);
      this.settle(upload);
    }, this.outcomes.broken);
  }

  private giveUp(upload: UploadInFlight, cause: Cause): Promise<void> {
    const { publisher, signal } = this;
    return giveUp({ ...this.dependencies, publisher, signal }, upload, cause);
  }

  private finish(upload: UploadInFlight): void {
    this.settle(upload);
    this.gate.left(upload);
  }

  private settle(upload: UploadInFlight): void {
    this.inside--;
    uploadsInFlight.set(this.inside);
    this.outcomes.finished(upload);
    if (this.inside === 0) this.whenEmpty?.();
  }
}

/** Never its text, which may hold a value of the file. */
function nameOf(error: unknown): string {
  if (!(error instanceof Error)) return 'Error';
  const { code } = error as NodeJS.ErrnoException;
  return code ?? error.name;
}
