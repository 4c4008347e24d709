const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 5_000;

/**
 * Pauses between attempts. They double up to the longest. Half of each is random, so that callers
 * that failed together do not retry together.
 */
export class Backoff {
  private pause: number;

  constructor(
    private readonly firstMs = FIRST_PAUSE_MS,
    private readonly longestMs = LONGEST_PAUSE_MS,
  ) {
    this.pause = firstMs;
  }

  /** The milliseconds before the next attempt. */
  next(): number {
    const { pause } = this;
    this.pause = Math.min(2 * pause, this.longestMs);
    return (pause + Math.random() * pause) / 2;
  }

  /** After a success. */
  reset(): void {
    this.pause = this.firstMs;
  }
}

/**
 * Calls `attempt` until it succeeds. Throws an error that waiting does not fix, and any error once
 * `signal` is aborted.
 *
 * @param isPassing whether waiting may fix the error; called once for each error, so it may count
 * or log
 */
export async function retrying<T>(
  attempt: () => Promise<T>,
  isPassing: (error: unknown) => boolean,
  signal: AbortSignal,
  backoff = new Backoff(),
): Promise<T> {
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (!isPassing(error) || signal.aborted) throw error;
    }
    await sleep(backoff.next(), signal);
  }
}

/** Resolves after the time, or at once when the signal is aborted. */
export function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, milliseconds);
    signal?.addEventListener('abort', done, { once: true });
    if (signal?.aborted === true) done();
  });
}
