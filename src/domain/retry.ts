const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 5_000;

/**
 * Calls `attempt` until it succeeds, with growing pauses. An error that waiting does not mend, and
 * any error once `signal` is aborted, is thrown.
 *
 * @param isPassing whether waiting may mend the error; called once an error, so it may count or log
 */
export async function retrying<T>(
  attempt: () => Promise<T>,
  isPassing: (error: unknown) => boolean,
  signal: AbortSignal,
): Promise<T> {
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
    try {
      return await attempt();
    } catch (error) {
      if (!isPassing(error) || signal.aborted) throw error;
    }
    await sleep(pause, signal);
  }
}

/** Resolves after the time, or at once when the signal is aborted. */
export function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, milliseconds);
    signal.addEventListener('abort', done, { once: true });
  });
}
