import { logErrors } from '../../ops/metrics.js';
import { LogUnavailableError } from '../upload-log.js';
import type { Head } from './head.js';
import type { LogStore } from './log-store.js';

/** Bounds the memory and the duration of one transaction; a single larger write still goes through. */
const GROUP_BYTES = 16 * 1024 * 1024;

/**
 * What a write does inside the transaction: puts and removes in the store, and moves the ends in
 * `head` on. It must not throw, and is called again when another process has committed in between.
 */
export type Apply<T> = (head: Head) => T;

interface Write {
  readonly operation: string;
  readonly bytes: number;
  readonly apply: Apply<unknown>;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

/**
 * All writing to the log. Writes that arrive while a transaction is being synced to the disk wait
 * and share the next one; each write is in one transaction as a whole.
 *
 * Offsets come from the head entry and are given by compare-and-set on its version, inside the
 * transaction: two processes never give the same one, and a failed transaction gives none.
 *
 * When the disk does not answer within the timeout, what waits and what comes is rejected until it
 * does, so that a stalled disk does not gather writes in memory.
 */
export class GroupCommit {
  private waiting: Write[] = [];
  private running: Promise<void> | undefined;
  private refusal: LogUnavailableError | undefined;

  /** @param committed is told every new head, once it is durable */
  constructor(
    private readonly store: LogStore,
    private readonly timeoutMs: number,
    private readonly committed: (head: Head, version: number) => void,
  ) {}

  /**
   * @param operation names the write in the metric of errors
   * @param bytes about how many are written
   * @throws LogUnavailableError
   */
  submit<T>(operation: string, bytes: number, apply: Apply<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const settle = resolve as (result: unknown) => void;
      const write: Write = { operation, bytes, apply, resolve: settle, reject };
      if (this.refusal !== undefined) {
        refuse([write], this.refusal);
        return;
      }
      this.waiting.push(write);
      this.running ??= this.run();
    });
  }

  /** Resolves when nothing is waiting or under way. From the call on, writes are rejected. */
  async close(): Promise<void> {
    this.refusal = new LogUnavailableError('the log is closed');
    await this.running;
  }

  private async run(): Promise<void> {
    // What is submitted in the same turn of the event loop is to share the first transaction.
    await Promise.resolve();
    while (this.waiting.length > 0) await this.commit(this.nextGroup());
    this.running = undefined;
  }

  private nextGroup(): Write[] {
    let count = 0;
    let bytes = 0;
    while (count < this.waiting.length && (count === 0 || bytes < GROUP_BYTES)) {
      bytes += this.waiting[count]!.bytes;
      count++;
    }
    return this.waiting.splice(0, count);
  }

  private async commit(group: readonly Write[]): Promise<void> {
    const watch = setTimeout(() => {
      this.stall(group);
    }, this.timeoutMs);
    try {
      const results = await this.write(group);
      group.forEach((write, i) => {
        write.resolve(results[i]);
      });
    } catch (error) {
      refuse(group, await explain(error));
    } finally {
      clearTimeout(watch);
      if (this.refusal instanceof StalledError) this.refusal = undefined;
    }
  }

  private async write(group: readonly Write[]): Promise<unknown[]> {
    for (;;) {
      const { head, version } = this.store.readHead();
      let results: unknown[] = [];
      const written = await this.store.writeAfter(version, head, () => {
        results = group.map((write) => write.apply(head));
      });
      if (!written) continue;
      this.committed(head, version + 1);
      return results;
    }
  }

  private stall(group: readonly Write[]): void {
    const error = new StalledError(`the log did not acknowledge within ${this.timeoutMs} ms`);
    this.refusal ??= error;
    refuse([...group, ...this.waiting.splice(0)], error);
  }
}

class StalledError extends LogUnavailableError {}

function refuse(writes: readonly Write[], error: LogUnavailableError): void {
  for (const write of writes) {
    logErrors.inc({ operation: write.operation });
    write.reject(error);
  }
}

/** LMDB gives the cause of a failed transaction as a promise, which must not stay unhandled. */
async function explain(error: unknown): Promise<LogUnavailableError> {
  let cause = error;
  if (error instanceof Error && 'commitError' in error) {
    cause = await Promise.resolve(error.commitError).catch((reason: unknown) => reason);
  }
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new LogUnavailableError(`the log did not take the records: ${reason}`, { cause });
}
