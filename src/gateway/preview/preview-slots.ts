import { previewUnavailable } from '../http/problem.js';

/** Previews of this gateway that read their body or wait for a slot. */
const MOST_WAITING = 16;
/** Of one account, so that others have a place. */
const MOST_WAITING_OF_ACCOUNT = 4;
/** Previews of this gateway at once; an account has one of them. */
const MOST_RUNNING = 2;

interface Waiting {
  readonly account: string;
  readonly start: () => void;
}

/** Decides which previews run, in the order in which they come. */
export class PreviewSlots {
  private readonly running = new Set<string>();
  private readonly queue = new Set<Waiting>();
  private readonly waiting: string[] = [];

  /**
   * A preview begins to read its body. The returned function is to be called once it waits no more.
   *
   * @throws Problem 503 when too many do
   */
  begin(account: string): () => void {
    const own = this.waiting.filter((each) => each === account).length;
    if (this.waiting.length === MOST_WAITING || own === MOST_WAITING_OF_ACCOUNT) {
      throw previewUnavailable();
    }
    this.waiting.push(account);
    return () => {
      this.waiting.splice(this.waiting.indexOf(account), 1);
    };
  }

  /**
   * Waits for a slot; the returned function gives it back.
   *
   * @throws the signal's reason
   */
  async take(account: string, signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    await new Promise<void>((resolve, reject) => {
      const waiting: Waiting = {
        account,
        start: () => {
          signal.removeEventListener('abort', leave);
          resolve();
        },
      };
      const leave = (): void => {
        this.queue.delete(waiting);
        reject(signal.reason as Error);
      };
      signal.addEventListener('abort', leave, { once: true });
      this.queue.add(waiting);
      this.startNext();
    });
    return () => {
      this.running.delete(account);
      this.startNext();
    };
  }

  private startNext(): void {
    for (const waiting of this.queue) {
      if (this.running.size === MOST_RUNNING) return;
      if (this.running.has(waiting.account)) continue;
      this.queue.delete(waiting);
      this.running.add(waiting.account);
      waiting.start();
    }
  }
}
