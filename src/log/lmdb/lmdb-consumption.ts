import type { Consumption } from '../upload-log.js';
import type { PartitionReader } from './partition-reader.js';

/** One group reading every partition of a topic; no partition is ever revoked. */
export class LmdbConsumption implements Consumption {
  readonly failed: Promise<never>;
  /** Resolves when no reader runs any more; never rejects. */
  readonly ended: Promise<unknown>;
  private readonly stopping = new AbortController();

  /**
   * @param readers by partition
   * @param run runs a reader to its end
   * @param makeWatermark makes `offset` the group's watermark in `partition`; `signal` aborted: tries once
   */
  constructor(
    private readonly readers: readonly PartitionReader[],
    run: (reader: PartitionReader) => Promise<void>,
    private readonly makeWatermark: (
      partition: number,
      offset: number,
      signal: AbortSignal,
    ) => Promise<void>,
  ) {
    const runs = readers.map(run);
    this.ended = Promise.allSettled(runs);
    this.failed = new Promise<never>((_, reject) => {
      for (const each of runs) {
        each.catch((error: unknown) => {
          this.stopReaders();
          reject(error instanceof Error ? error : new Error(String(error)));
        });
      }
    });
    // Whoever consumes may look at it later, or never.
    this.failed.catch(() => undefined);
  }

  commit(partition: number, offset: number): Promise<void> {
    return this.makeWatermark(partition, offset, this.stopping.signal);
  }

  async stop(): Promise<void> {
    this.stopReaders();
    await this.ended;
  }

  private stopReaders(): void {
    // A reader ends when its records are handled, and they may wait for a commit.
    this.stopping.abort();
    for (const reader of this.readers) reader.stop();
  }
}
