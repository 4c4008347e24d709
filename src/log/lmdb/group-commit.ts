import { logErrors } from '../../ops/metrics.js';
import { LogUnavailableError } from '../upload-log.js';
import { causeOf } from './commit-cause.js';
import { copyOf, type Head, newVersion, type Tip } from './head.js';
import type { LogStore } from './log-store.js';

/** Bounds the memory and the duration of a group; a single larger write still goes through. */
const MOST_BYTES = 16 * 1024 * 1024;
/**
 * A smaller group waits for those under way: with single records each commit would be half empty.
 */
const WORTH_OVERLAPPING_BYTES = 256 * 1024;

/**
 * The work of a write inside the transaction: puts and removes in the store, and moves the ends in
 * `head`. It must not throw. It is called again when another process has committed in between.
 */
export type Apply<T> = (head: Head) => T;

interface Write {
  readonly operation: string;
  readonly bytes: number;
  readonly apply: Apply<unknown>;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
  isRefused: boolean;
}

/**
 * All writing to the log. Writes that arrive together share a transaction and its sync to the disk;
 * each write is in one transaction as a whole.
 *
 * A group that is large enough does not wait for those before it: it builds on the head that they
 * will leave, and LMDB writes it next. Offsets are given by compare-and-set on the head's version,
 * inside the transaction, and no version occurs twice: two processes never give the same offset,
 * and a failed transaction gives none. When a group is not written, because another process came
 * first or its transaction failed, the groups behind it find a version that is not theirs and are
 * not written either. They are written again, in their order, once none is under way.
 *
 * When the disk does not answer within the timeout, waiting and new writes are rejected until it
 * does, so that a stalled disk does not fill the memory.
 */
export class GroupCommit {
  private waiting: Write[] = [];
  private starting: Promise<void> | undefined;
  private readonly underWay = new Map<Promise<void>, readonly Write[]>();
  private bytesUnderWay = 0;
  /** The head that the groups under way will leave; undefined: the store has to be asked. */
  private tip: Tip | undefined;
  /**
   * A group was not written, so those behind it will not be: none starts before all have settled.
   */
  private isBroken = false;
  /** Writes of those groups, in their order. */
  private readonly overtaken: Write[] = [];
  private refusal: LogUnavailableError | undefined;
  /** How many groups there have been. */
  private settled = 0;

  /** @param committed called with every new head, once it is durable */
  constructor(
    private readonly store: LogStore,
    private readonly timeoutMs: number,
    private readonly committed: (head: Head) => void,
  ) {
    store.failure.promise.catch((cause: unknown) => {
      this.fail(cause);
    });
  }

  /**
   * @param operation names the write in the metric of errors
   * @param bytes the approximate size
   * @throws LogUnavailableError
   */
  submit<T>(operation: string, bytes: number, apply: Apply<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const settle = resolve as (result: unknown) => void;
      const write: Write = { operation, bytes, apply, resolve: settle, reject, isRefused: false };
      if (this.refusal !== undefined) {
        refuse([write], this.refusal);
        return;
      }
      this.waiting.push(write);
      // Later in this turn: writes of the same turn share a transaction.
      this.starting ??= Promise.resolve().then(() => {
        this.starting = undefined;
        this.start();
      });
    });
  }

  /**
   * Resolves when nothing waits or is under way, or when the store will never answer. From now on
   * writes are rejected.
   */
  async close(): Promise<void> {
    this.refusal = new LogUnavailableError('the log is closed');
    await this.starting;
    const failed = this.store.failure.promise.catch(() => 'failed');
    while (this.underWay.size > 0) {
      if ((await Promise.race([Promise.all(this.underWay.keys()), failed])) === 'failed') return;
    }
  }

  private start(): void {
    while (this.waiting.length > 0 && !this.isBroken && this.hasRoom()) {
      this.run(this.nextGroup());
    }
  }

  private hasRoom(): boolean {
    if (this.underWay.size === 0) return true;
    return this.bytesUnderWay < MOST_BYTES && bytesOf(this.waiting) >= WORTH_OVERLAPPING_BYTES;
  }

  private nextGroup(): Write[] {
    let count = 0;
    let bytes = this.bytesUnderWay;
    while (count < this.waiting.length && (count === 0 || bytes < MOST_BYTES)) {
      bytes += this.waiting[count]!.bytes;
      count++;
    }
    return this.waiting.splice(0, count);
  }

  private run(group: readonly Write[]): void {
    const bytes = bytesOf(group);
    const running = this.commit(group).then(() => {
      this.underWay.delete(running);
      this.bytesUnderWay -= bytes;
      if (this.underWay.size === 0) this.goOn();
      this.start();
    });
    this.underWay.set(running, group);
    this.bytesUnderWay += bytes;
  }

  /** Nothing is under way: the next group begins at the store's own head. */
  private goOn(): void {
    this.tip = undefined;
    this.isBroken = false;
    this.waiting.unshift(...this.overtaken.splice(0));
  }

  /** Never rejects. */
  private async commit(group: readonly Write[]): Promise<void> {
    const settledBefore = this.settled;
    const watch = setTimeout(() => {
      this.stall(group, this.settled === settledBefore);
    }, this.timeoutMs).unref();
    try {
      const results = await this.write(group);
      if (results === undefined) {
        this.isBroken = true;
        this.overtaken.push(...group.filter(({ isRefused }) => !isRefused));
      }
      results?.forEach((result, i) => {
        group[i]!.resolve(result);
      });
    } catch (error) {
      this.isBroken = true;
      const cause = await causeOf(error);
      const message = `the log did not take the records: ${cause.message}`;
      refuse(group, new LogUnavailableError(message, { cause }));
    } finally {
      clearTimeout(watch);
      this.settled++;
      if (this.refusal instanceof StalledError) this.refusal = undefined;
    }
  }

  /** Resolves to undefined when nothing was written because another commit came first. */
  private async write(group: readonly Write[]): Promise<unknown[] | undefined> {
    const before = this.tip ?? this.store.readTip();
    const tip = { head: copyOf(before.head), version: newVersion() };
    this.tip = tip;
    let results: unknown[] = [];
    const isWritten = await this.store.writeAfter(before.version, tip, () => {
      results = group.map((write) => write.apply(tip.head));
    });
    if (!isWritten) return undefined;
    this.committed(tip.head);
    return results;
  }

  /** The store may never answer what is under way. */
  private fail(cause: unknown): void {
    this.refusal = new LogUnavailableError('the log does not work any more', { cause });
    const underWay = [...this.underWay.values()].flat();
    refuse([...underWay, ...this.overtaken.splice(0), ...this.waiting.splice(0)], this.refusal);
  }

  /** @param isAll whether no other group has been answered either */
  private stall(group: readonly Write[], isAll: boolean): void {
    const error = new StalledError(`the log did not acknowledge within ${this.timeoutMs} ms`);
    refuse(group, error);
    if (!isAll) return;
    this.refusal ??= error;
    refuse([...this.overtaken.splice(0), ...this.waiting.splice(0)], error);
  }
}

function bytesOf(writes: readonly Write[]): number {
  return writes.reduce((sum, { bytes }) => sum + bytes, 0);
}

class StalledError extends LogUnavailableError {}

function refuse(writes: readonly Write[], error: LogUnavailableError): void {
  for (const write of writes) {
    write.isRefused = true;
    logErrors.inc({ operation: write.operation });
    write.reject(error);
  }
}
