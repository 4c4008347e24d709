import { attempt } from './attempt.js';

/**
 * What has to hold before this process gets work, by name. A check resolves when it holds.
 * Otherwise it rejects with an Error whose message is the reason.
 */
export type ReadinessChecks = Readonly<Record<string, () => Promise<void>>>;

export interface ReadinessReport {
  /** `degraded`: ready, although a check that does not decide has failed. */
  readonly status: 'ok' | 'degraded' | 'unavailable';
  /** By check: `ok`, or why not. */
  readonly checks: Readonly<Record<string, string>>;
}

/** Probes give up after a second by default. An answer with a reason has to come before that. */
const CHECK_TIMEOUT_MS = 800;

/**
 * Runs all checks at once. A check that does not answer in time has failed.
 *
 * @param reportedOnly checks that do not decide
 */
export async function checkReadiness(
  checks: ReadinessChecks,
  reportedOnly: ReadinessChecks = {},
): Promise<ReadinessReport> {
  const [deciding, others] = await Promise.all([run(checks), run(reportedOnly)]);
  const isReady = deciding.every(holds);
  const isWhole = isReady && others.every(holds);
  return {
    status: isWhole ? 'ok' : isReady ? 'degraded' : 'unavailable',
    checks: Object.fromEntries([...deciding, ...others]),
  };
}

type Result = readonly [name: string, result: string];

function run(checks: ReadinessChecks): Promise<Result[]> {
  return Promise.all(
    Object.entries(checks).map(async ([name, check]) => [
      name,
      await attempt(check, CHECK_TIMEOUT_MS),
    ]),
  );
}

function holds([, result]: Result): boolean {
  return result === 'ok';
}
