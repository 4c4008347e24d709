import { logErrors } from '../../ops/metrics.js';
import { LogUnavailableError, type LogRecord, type Tail } from '../upload-log.js';
import { PartitionReader, type PartitionSource } from './partition-reader.js';

interface Waiting {
  readonly offsets: readonly number[];
  settle(error?: Error): void;
}

/** Hands over every record of a topic. When it cannot go on, `reached` rejects from then on. */
export class LmdbTail implements Tail {
  private readonly readers: readonly PartitionReader[];
  private readonly waiting = new Set<Waiting>();
  /** Resolves when no reader runs any more; never rejects. */
  readonly ended: Promise<unknown>;
  private failure: Error | undefined;

  /**
   * @param sources by partition
   * @param from by partition; 0 where none is given
   * @param run runs a reader to its end
   */
  constructor(
    sources: readonly PartitionSource[],
    from: readonly number[],
    run: (reader: PartitionReader) => Promise<void>,
    onRecords: (records: readonly LogRecord[]) => void,
  ) {
    const advanced = (): void => {
      for (const each of this.waiting) if (this.isAt(each.offsets)) each.settle();
    };
    this.readers = sources.map(
      (source, i) => new PartitionReader(source, from[i] ?? 0, { records: onRecords, advanced }),
    );
    const runs = this.readers.map((reader) =>
      run(reader).catch((cause: unknown) => {
        logErrors.inc({ operation: 'tail' });
        this.end(new LogUnavailableError('the tail of the log cannot go on', { cause }));
      }),
    );
    this.ended = Promise.all(runs);
  }

  reached(offsets: readonly number[], timeoutMs: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const settle = (error?: Error): void => {
        clearTimeout(timer);
        this.waiting.delete(waiting);
        if (error === undefined) resolve();
        else reject(error);
      };
      const waiting: Waiting = { offsets, settle };
      const timer = setTimeout(() => {
        settle(new LogUnavailableError(`the tail of the log is over ${timeoutMs} ms behind`));
      }, timeoutMs);
      this.waiting.add(waiting);
      if (this.isAt(offsets)) settle();
      else if (this.failure !== undefined) settle(this.failure);
    });
  }

  async stop(): Promise<void> {
    this.end(new LogUnavailableError('the tail of the log was stopped'));
    await this.ended;
  }

  private isAt(offsets: readonly number[]): boolean {
    return this.readers.every((reader, i) => reader.position >= (offsets[i] ?? 0));
  }

  private end(reason: Error): void {
    this.failure ??= reason;
    for (const reader of this.readers) reader.stop();
    for (const each of this.waiting) each.settle(this.failure);
  }
}
