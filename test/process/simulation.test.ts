import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

import { describe, expect, it } from '@jest/globals';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const COMPILED = '.cache/simulation/test/simulation/run.js';
/** A trace has about 10 MB. */
const MOST_BYTES = 256 * 1024 * 1024;
/**
 * The time limits of up to 100 seeds, without and with coverage. Beside other tests they take about
 * half of it. Jest's own limit cannot end a test that waits for a program in this way.
 */
const LIMIT_MS = 120_000;
const COVERAGE_LIMIT_MS = 180_000;

/**
 * Runs the program to its end. It reports on seeds on standard error and writes a trace to standard
 * output.
 */
function run(program: string, ...args: string[]) {
  const limitMs = args.includes('--coverage') ? COVERAGE_LIMIT_MS : LIMIT_MS;
  const { stdout, stderr, status, error } = spawnSync(process.execPath, [program, ...args], {
    cwd: ROOT,
    encoding: 'utf8',
    maxBuffer: MOST_BYTES,
    timeout: limitMs,
  });
  if (error !== undefined) {
    const isLate = (error as NodeJS.ErrnoException).code === 'ETIMEDOUT';
    const why = isLate ? `has not ended within ${limitMs / 1000} s` : error.message;
    throw new Error(`${[program, ...args].join(' ')}: ${why}\n${stderr}`);
  }
  return { stdout, stderr, status };
}

describe('the simulation', () => {
  it('finds no violation in 100 seeds, and runs most of what it is about', () => {
    const { stderr, status } = run('scripts/simulate.mjs', '--seeds', '100', '--coverage');
    if (status !== 0) throw new Error(stderr);
    expect(stderr.match(/^seed \d+: /gm)).toHaveLength(100);
    expect(stderr).toMatch(/^ingest: .* % of the lines have run$/m);
  });

  it('finds none in 100 more', () => {
    const { stderr, status } = run(COMPILED, '--seeds', '100', '--from', '101');
    if (status !== 0) throw new Error(stderr);
    expect(stderr.match(/^seed \d+: /gm)).toHaveLength(100);
    expect(stderr).toMatch(/^faults: .*process killed \d/m);
  });

  it('gives the same trace for the same seed, byte for byte, alone and after others', () => {
    const [first, second] = [run(COMPILED, '--seed', '17'), run(COMPILED, '--seed', '17')];
    expect(first.stdout.length).toBeGreaterThan(100_000);
    expect(second.stdout === first.stdout).toBe(true);
    const digest = /^seed 17: .* trace (\w+)/m;
    const [, alone] = digest.exec(first.stderr)!;
    const [, among] = digest.exec(run(COMPILED, '--seeds', '3', '--from', '15').stderr)!;
    expect(among).toBe(alone);
  });
});
