import { Backoff, sleep } from '../../domain/retry.js';
import { ProblemError, UploadClientError } from './errors.js';

const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 15_000;

/**
 * Calls `attempt` until it succeeds, fails for good, or `forMs` have passed since it failed first.
 *
 * Waits at least as long as the service asks for with Retry-After, even beyond the pause.
 */
export async function withBackoff<T>(
  attempt: () => Promise<T>,
  forMs: number,
  signal: AbortSignal | undefined,
): Promise<T> {
  let until: number | undefined;
  const backoff = new Backoff(FIRST_PAUSE_MS, LONGEST_PAUSE_MS);
  for (;;) {
    let error: unknown;
    try {
      return await attempt();
    } catch (caught) {
      error = caught;
    }
    if (!(error instanceof UploadClientError) || !error.isPassing) throw error;
    const asked = error instanceof ProblemError ? (error.retryAfterMs ?? 0) : 0;
    until ??= Date.now() + forMs;
    const milliseconds = asked + backoff.next();
    if (Date.now() + milliseconds > until) throw error;
    await sleep(milliseconds, signal);
    signal?.throwIfAborted();
  }
}
