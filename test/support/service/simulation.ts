import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
/** A trace has about 10 MB. */
const MOST_BYTES = 256 * 1024 * 1024;
/** Shorter than a test's time limit, which cannot end a test that waits for a program in this way. */
const LIMIT_MS = 280_000;

/**
 * Runs the simulation to its end.
 *
 * @returns what it says of each seed, and the trace of a single seed
 * @throws Error with what it said, if a seed finds a violation or too few lines have run
 */
export function simulate(...args: string[]): { report: string; trace: string } {
  const program = ['scripts/simulate.mjs', ...args];
  const { stdout, stderr, status, error } = spawnSync(process.execPath, program, {
    cwd: ROOT,
    encoding: 'utf8',
    maxBuffer: MOST_BYTES,
    timeout: LIMIT_MS,
  });
  if (error === undefined && status === 0) return { report: stderr, trace: stdout };
  const isLate = (error as NodeJS.ErrnoException | undefined)?.code === 'ETIMEDOUT';
  const why = isLate ? `has not ended within ${LIMIT_MS / 1000} s` : (error?.message ?? 'failed');
  throw new Error(`${program.join(' ')}: ${why}\n${stderr}`);
}

/** The seeds of which the report tells. */
export function seedsIn(report: string): number[] {
  return [...report.matchAll(/^seed (\d+): /gm)].map(([, seed]) => Number(seed));
}
