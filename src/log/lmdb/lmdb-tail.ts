import { Failure } from '../../domain/failure.js';
import { sleep } from '../../domain/retry.js';
import { logErrors } from '../../ops/metrics.js';
import { LogUnavailableError, type LogRecord, type Tail } from '../upload-log.js';
import { TailWaiters } from '../tail-waiters.js';
import { PartitionReader, type PartitionSource } from './partition-reader.js';

/** A failed read is repeated: memory or LMDB's reader slots may be short for a while. */
const RETRY_MS = 200;
/** So many failures in a row do not pass. */
const MAX_FAILURES = 20;

/** Hands over every record of a topic. When it cannot go on, `reached` rejects from then on. */
export class LmdbTail implements Tail {
  private readonly failure = new Failure();
  readonly failed = this.failure.promise;
  private readonly readers: readonly PartitionReader[];
  private readonly waiting = new TailWaiters((offsets) => this.isAt(offsets));
  private readonly stopping = new AbortController();
  /** Resolves when no reader runs any more; never rejects. */
  readonly ended: Promise<unknown>;

  /**
   * @param sources by partition
   * @param from by partition; 0 where none is given
   * @param run runs a reader to its end
   */
  constructor(
    sources: readonly PartitionSource[],
    from: readonly number[],
    private readonly run: (reader: PartitionReader) => Promise<void>,
    private readonly onRecords: (records: readonly LogRecord[]) => void,
  ) {
    const handler = {
      records: (records: readonly LogRecord[]): void => {
        this.handOver(records);
      },
      advanced: (): void => {
        this.waiting.advanced();
      },
    };
    this.readers = sources.map((source, i) => new PartitionReader(source, from[i] ?? 0, handler));
    this.ended = Promise.all(this.readers.map((reader) => this.follow(reader)));
  }

  reached(offsets: readonly number[], timeoutMs: number): Promise<void> {
    return this.waiting.reached(offsets, timeoutMs);
  }

  async stop(): Promise<void> {
    this.end(new LogUnavailableError('the tail of the log was stopped'));
    await this.ended;
  }

  private async follow(reader: PartitionReader): Promise<void> {
    const { signal } = this.stopping;
    let failures = 0;
    while (!signal.aborted) {
      const { position } = reader;
      try {
        await this.run(reader);
      } catch (cause) {
        logErrors.inc({ operation: 'tail' });
        failures = reader.position > position ? 1 : failures + 1;
        if (failures >= MAX_FAILURES) this.fail(cause);
        await sleep(RETRY_MS, signal);
      }
    }
  }

  private handOver(records: readonly LogRecord[]): void {
    try {
      this.onRecords(records);
    } catch (cause) {
      this.fail(cause);
      throw cause;
    }
  }

  private fail(cause: unknown): void {
    this.failure.report(cause);
    this.end(new LogUnavailableError('the tail of the log cannot go on', { cause }));
  }

  private isAt(offsets: readonly number[]): boolean {
    return this.readers.every((reader, i) => reader.position >= (offsets[i] ?? 0));
  }

  private end(reason: Error): void {
    this.stopping.abort();
    for (const reader of this.readers) reader.stop();
    this.waiting.end(reason);
  }
}
