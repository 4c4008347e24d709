import { setImmediate } from 'node:timers/promises';
import type { LogRecord } from '../upload-log.js';

export interface PartitionSource {
  /** The offset behind the last known durable record. */
  end(): number;
  /** The first records with `from` <= offset < `to`, at least one if any is kept. */
  read(from: number, to: number): LogRecord[];
}

export interface PartitionHandler {
  /** Called once, before the first records. */
  assigned?(offset: number): void;
  records(records: LogRecord[]): Promise<void> | void;
  /** Called whenever the reader's `position` has moved. */
  advanced?(): void;
}

/**
 * Hands over the records of one partition from an offset on, one batch at a time, and goes on with
 * new records until it is stopped.
 */
export class PartitionReader {
  private stopped = false;
  private wakeUp: (() => void) | undefined;

  /** @param next the offset to begin at */
  constructor(
    private readonly source: PartitionSource,
    private next: number,
    private readonly handler: PartitionHandler,
  ) {}

  /** Every record below it has been handed over, unless retention has deleted it. */
  get position(): number {
    return this.next;
  }

  /** Resolves after `stop`; rejects when a read or the handler fails. */
  async run(): Promise<void> {
    // The caller holds the reader before the first record comes.
    await setImmediate();
    if (!this.stopped) this.handler.assigned?.(this.next);
    while (!this.stopped) {
      const end = this.source.end();
      if (this.next >= end) {
        await new Promise<void>((resolve) => (this.wakeUp = resolve));
      } else {
        await this.handOver(end);
        // Reading is synchronous: between two batches others get their turn.
        await setImmediate();
      }
    }
  }

  stop(): void {
    this.stopped = true;
    this.wake();
  }

  /** Looks at the end again. */
  wake(): void {
    this.wakeUp?.();
  }

  private async handOver(end: number): Promise<void> {
    const records = this.source.read(this.next, end);
    const last = records.at(-1);
    if (last !== undefined) await this.handler.records(records);
    // Nothing to read below the end: retention has deleted it.
    this.next = last === undefined ? end : last.offset + 1;
    this.handler.advanced?.();
  }
}
