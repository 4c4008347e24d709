import type { Consumption } from '../upload-log.js';
import type { PartitionReader } from './partition-reader.js';

/** One group reading every partition of a topic; no partition is ever revoked. */
export class LmdbConsumption implements Consumption {
  readonly failed: Promise<never>;
  /** Resolves when no reader runs any more; never rejects. */
  readonly ended: Promise<unknown>;

  /**
   * @param readers by partition
   * @param run runs a reader to its end
   * @param commit makes `offset` the group's watermark in `partition`
   */
  constructor(
    private readonly readers: readonly PartitionReader[],
    run: (reader: PartitionReader) => Promise<void>,
    readonly commit: (partition: number, offset: number) => Promise<void>,
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

  async stop(): Promise<void> {
    this.stopReaders();
    await this.ended;
  }

  private stopReaders(): void {
    for (const reader of this.readers) reader.stop();
  }
}
