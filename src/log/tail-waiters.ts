import { LogUnavailableError } from './upload-log.js';

interface Waiter {
  readonly offsets: readonly number[];
  settle(error?: Error): void;
}

/** Callers that wait until a tail has come so far. */
export class TailWaiters {
  private readonly waiters = new Set<Waiter>();
  private failure: Error | undefined;

  /** @param isAt whether every record below the offsets has been handed over */
  constructor(private readonly isAt: (offsets: readonly number[]) => boolean) {}

  reached(offsets: readonly number[], timeoutMs: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const settle = (error?: Error): void => {
        clearTimeout(timer);
        this.waiters.delete(waiter);
        if (error === undefined) resolve();
        else reject(error);
      };
      const waiter: Waiter = { offsets, settle };
      const timer = setTimeout(() => {
        settle(new LogUnavailableError(`the tail of the log is over ${timeoutMs} ms behind`));
      }, timeoutMs);
      this.waiters.add(waiter);
      if (this.isAt(offsets)) settle();
      else if (this.failure !== undefined) settle(this.failure);
    });
  }

  advanced(): void {
    for (const each of this.waiters) if (this.isAt(each.offsets)) each.settle();
  }

  /** The tail goes no further: nobody is to wait for it. The first reason counts. */
  end(reason: Error): void {
    this.failure ??= reason;
    for (const each of this.waiters) each.settle(this.failure);
  }
}
