import { attempt } from './attempt.js';

/**
 * What has to hold before this process is sent work, by name. A check resolves when it holds and
 * rejects with an Error whose message is the reason when it does not.
 */
export type ReadinessChecks = Readonly<Record<string, () => Promise<void>>>;

export interface ReadinessReport {
  readonly status: 'ok' | 'unavailable';
  /** By check: `ok`, or why not. */
  readonly checks: Readonly<Record<string, string>>;
}

/** Probes give up after a second by default; an answer with a reason has to be faster than that. */
const CHECK_TIMEOUT_MS = 800;

/** Runs every check at once. A check that does not answer in time does not hold. */
export async function checkReadiness(
  checks: ReadinessChecks,
  timeoutMs = CHECK_TIMEOUT_MS,
): Promise<ReadinessReport> {
  const results = await Promise.all(
    Object.entries(checks).map(async ([name, check]) => {
      return [name, await attempt(check, timeoutMs)] as const;
    }),
  );
  return {
    status: results.every(([, result]) => result === 'ok') ? 'ok' : 'unavailable',
    checks: Object.fromEntries(results),
  };
}
