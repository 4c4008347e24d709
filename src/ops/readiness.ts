import { attempt } from './attempt.js';

/**
 * What has to hold before this process is sent work, by name. A check resolves when it holds and
 * rejects with an Error whose message is the reason when it does not.
 */
export type ReadinessChecks = Readonly<Record<string, () => Promise<void>>>;

export interface ReadinessReport {
  /** `degraded`: ready, although a check that does not decide does not hold. */
  readonly status: 'ok' | 'degraded' | 'unavailable';
  /** By check: `ok`, or why not. */
  readonly checks: Readonly<Record<string, string>>;
}

/** Probes give up after a second by default; an answer with a reason has to be faster than that. */
const CHECK_TIMEOUT_MS = 800;

/**
 * Runs every check at once. A check that does not answer in time does not hold.
 *
 * @param told checks that are told of and do not decide
 */
export async function checkReadiness(
  checks: ReadinessChecks,
  told: ReadinessChecks = {},
  timeoutMs = CHECK_TIMEOUT_MS,
): Promise<ReadinessReport> {
  const [deciding, others] = await Promise.all([run(checks, timeoutMs), run(told, timeoutMs)]);
  const isReady = deciding.every(holds);
  const isWhole = isReady && others.every(holds);
  return {
    status: isWhole ? 'ok' : isReady ? 'degraded' : 'unavailable',
    checks: Object.fromEntries([...deciding, ...others]),
  };
}

type Result = readonly [name: string, result: string];

function run(checks: ReadinessChecks, timeoutMs: number): Promise<Result[]> {
  return Promise.all(
    Object.entries(checks).map(async ([name, check]) => [name, await attempt(check, timeoutMs)]),
  );
}

function holds([, result]: Result): boolean {
  return result === 'ok';
}
