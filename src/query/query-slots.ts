import { sleep } from '../domain/retry.js';
import { EngineException } from './exception.js';

/** Requests that may wait; a dashboard asks for all its panels at once. */
const QUEUE_LENGTH = 64;
/** How long one waits. */
const QUEUE_WAIT_MS = 10_000;

/** Bounds how many queries run at once. Further ones wait in line, for a bounded time. */
export class QuerySlots {
  private running = 0;
  /** One is aborted, which ends its wait, when it is its turn. */
  private readonly waiting = new Set<AbortController>();

  constructor(private readonly limit: number) {}

  /**
   * Resolves when the query may run; then call `leave` once.
   *
   * @throws EngineException as ClickHouse's when too many queries run
   */
  async enter(signal: AbortSignal): Promise<void> {
    if (this.running < this.limit) this.running++;
    else await this.wait(signal);
  }

  /** Passes the turn to the first in line. */
  leave(): void {
    const [next] = this.waiting;
    if (next === undefined) this.running--;
    else {
      this.waiting.delete(next);
      next.abort();
    }
  }

  private async wait(signal: AbortSignal): Promise<void> {
    if (this.waiting.size >= QUEUE_LENGTH) throw this.tooMany();
    const turn = new AbortController();
    this.waiting.add(turn);
    await sleep(QUEUE_WAIT_MS, AbortSignal.any([signal, turn.signal]));
    const hasTurn = turn.signal.aborted;
    if (hasTurn && !signal.aborted) return;
    if (hasTurn) this.leave();
    else this.waiting.delete(turn);
    if (!signal.aborted) throw this.tooMany();
    throw EngineException.of('QUERY_WAS_CANCELLED', 'Query was cancelled.');
  }

  private tooMany(): EngineException {
    return EngineException.of(
      'TOO_MANY_SIMULTANEOUS_QUERIES',
      `Too many simultaneous queries. Maximum: ${this.limit}.`,
    );
  }
}
