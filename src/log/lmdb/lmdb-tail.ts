import { logErrors } from '../../ops/metrics.js';
import { LogUnavailableError, type LogRecord, type Tail } from '../upload-log.js';
import { Waiting } from '../waiting.js';
import { PartitionReader, type PartitionSource } from './partition-reader.js';

/** Hands over every record of a topic. When it cannot go on, `reached` rejects from then on. */
export class LmdbTail implements Tail {
  private readonly readers: readonly PartitionReader[];
  private readonly waiting = new Waiting((offsets) => this.isAt(offsets));
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
    run: (reader: PartitionReader) => Promise<void>,
    onRecords: (records: readonly LogRecord[]) => void,
  ) {
    const advanced = (): void => {
      this.waiting.advanced();
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
    return this.waiting.reached(offsets, timeoutMs);
  }

  async stop(): Promise<void> {
    this.end(new LogUnavailableError('the tail of the log was stopped'));
    await this.ended;
  }

  private isAt(offsets: readonly number[]): boolean {
    return this.readers.every((reader, i) => reader.position >= (offsets[i] ?? 0));
  }

  private end(reason: Error): void {
    for (const reader of this.readers) reader.stop();
    this.waiting.end(reason);
  }
}
