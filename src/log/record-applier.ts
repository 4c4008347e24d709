import { Failure } from '../domain/failure.js';
import { retrying } from '../domain/retry.js';
import type { Consumption, LogRecord, RecordHandler, Topic, UploadLog } from './upload-log.js';

export interface Application {
  readonly topic: Topic;
  readonly group: string;
  /**
   * Applies a batch of records, each of which may have been applied before.
   *
   * @param signal aborted: whatever waits gives up, with any error
   */
  readonly apply: (records: readonly LogRecord[], signal: AbortSignal) => Promise<void>;
  /** Whether waiting may fix the error: the batch is then applied again. */
  readonly isPassing: (error: unknown) => boolean;
}

/**
 * Reads a topic in a group of its own and applies every batch of records before it is committed.
 * After a crash the next process applies it again.
 */
export class RecordApplier implements RecordHandler {
  private readonly failure = new Failure();
  private readonly aborting = new AbortController();
  private consumption: Consumption | undefined;

  static async start(log: UploadLog, application: Application): Promise<RecordApplier> {
    const applier = new RecordApplier(application);
    applier.consumption = await log.consume(application.topic, application.group, applier);
    applier.consumption.failed.catch(applier.failure.report);
    return applier;
  }

  private constructor(private readonly application: Application) {}

  /** Rejects when it cannot go on: the process is to end, and the next one reads again. */
  get failed(): Promise<never> {
    return this.failure.promise;
  }

  assigned(): void {
    // Every batch is committed as soon as it is applied: there is no state to begin.
  }

  revoked(): void {
    // See `assigned`.
  }

  async records(partition: number, records: readonly LogRecord[]): Promise<void> {
    const { apply, isPassing } = this.application;
    const { signal } = this.aborting;
    await retrying(() => apply(records, signal), isPassing, signal);
    await this.consumption?.commit(partition, records[records.length - 1]!.offset + 1);
  }

  async stop(): Promise<void> {
    this.aborting.abort();
    await this.consumption?.stop();
  }
}
