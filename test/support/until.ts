import { setTimeout as sleep } from 'node:timers/promises';

const LIMIT_MS = 120_000;

/** Whether the promise is fulfilled. */
export const succeeds = (promise: Promise<unknown>): Promise<boolean> =>
  promise.then(
    () => true,
    () => false,
  );

/**
 * Waits until the condition holds.
 *
 * @throws Error with the condition, after two minutes
 */
export async function until(
  condition: () => boolean | Promise<boolean>,
  pollMs = 5,
): Promise<void> {
  const end = Date.now() + LIMIT_MS;
  while (!(await condition())) {
    if (Date.now() > end) throw new Error(`not within ${LIMIT_MS} ms: ${String(condition)}`);
    await sleep(pollMs);
  }
}
