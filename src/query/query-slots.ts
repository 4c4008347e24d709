import { EngineException } from './exception.js';

/** Requests that may wait; a dashboard asks for all its panels at once. */
const QUEUE_LENGTH = 64;
/** How long one waits. */
const QUEUE_WAIT_MS = 10_000;

/** Bounds how many queries run at once. Further ones wait in line, for a bounded time. */
export class QuerySlots {
  private running = 0;
  private readonly waiting = new Set<() => void>();

  constructor(private readonly limit: number) {}

  /**
   * Resolves when the query may run, with the function that ends its turn.
   *
   * @throws EngineException as ClickHouse's when too many queries run
   */
  async enter(signal: AbortSignal): Promise<() => void> {
    if (this.running < this.limit) this.running++;
    else await this.wait(signal);
    let left = false;
    return () => {
      if (!left) this.leave();
      left = true;
    };
  }

  /** Passes the turn to the first in line. */
  private leave(): void {
    const [next] = this.waiting;
    if (next === undefined) this.running--;
    else next();
  }

  private wait(signal: AbortSignal): Promise<void> {
    if (this.waiting.size >= QUEUE_LENGTH) return Promise.reject(this.tooMany());
    return new Promise((resolve, reject) => {
      const stop = (): void => {
        this.waiting.delete(turn);
        clearTimeout(timer);
        signal.removeEventListener('abort', gone);
      };
      const turn = (): void => {
        stop();
        resolve();
      };
      const gone = (): void => {
        stop();
        reject(EngineException.of('QUERY_WAS_CANCELLED', 'Query was cancelled.'));
      };
      const timer = setTimeout(() => {
        stop();
        reject(this.tooMany());
      }, QUEUE_WAIT_MS);
      this.waiting.add(turn);
      if (signal.aborted) gone();
      else signal.addEventListener('abort', gone);
    });
  }

  private tooMany(): EngineException {
    return EngineException.of(
      'TOO_MANY_SIMULTANEOUS_QUERIES',
      `Too many simultaneous queries. Maximum: ${this.limit}.`,
    );
  }
}
