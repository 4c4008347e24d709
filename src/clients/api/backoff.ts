import { setTimeout as sleep } from 'node:timers/promises';
import { ProblemError, UploadClientError } from './errors.js';

const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 15_000;

/**
 * Calls `attempt` until it succeeds, fails for good, or `forMs` have passed since the first time.
 *
 * Pauses double, and half of each is random, so that many clients that were refused at the same
 * moment do not come back at the same moment. What the service asks for with Retry-After is waited
 * at least, however long the pause would be.
 */
export async function withBackoff<T>(
  attempt: () => Promise<T>,
  forMs: number,
  signal: AbortSignal | undefined,
): Promise<T> {
  const until = Date.now() + forMs;
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
    let error: unknown;
    try {
      return await attempt();
    } catch (caught) {
      error = caught;
    }
    if (!(error instanceof UploadClientError) || !error.isPassing) throw error;
    const asked = error instanceof ProblemError ? (error.retryAfterMs ?? 0) : 0;
    const milliseconds = asked + pause / 2 + (Math.random() * pause) / 2;
    if (Date.now() + milliseconds > until) throw error;
    await sleep(milliseconds, undefined, signal === undefined ? {} : { signal });
  }
}
