import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';

import { beforeAll, describe, expect, it } from '@jest/globals';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const COMPILED = '.cache/simulation/test/simulation/run.js';
/** A trace has about 10 MB. */
const MOST_BYTES = 256 * 1024 * 1024;
/**
 * Shorter than a test's time limit, which cannot end a test that waits for a program in this way.
 * Beside other tests 100 seeds take about 60 s, with coverage 90 s.
 */
const LIMIT_MS = 280_000;

/**
 * Runs the program to its end. It reports on seeds on standard error and writes a trace to standard
 * output.
 */
function run(program: string, ...args: string[]) {
  const { stdout, stderr, status, error } = spawnSync(process.execPath, [program, ...args], {
    cwd: ROOT,
    encoding: 'utf8',
    maxBuffer: MOST_BYTES,
    timeout: LIMIT_MS,
  });
  if (error !== undefined) {
    const isLate = (error as NodeJS.ErrnoException).code === 'ETIMEDOUT';
    const why = isLate ? `has not ended within ${LIMIT_MS / 1000} s` : error.message;
    throw new Error(`${[program, ...args].join(' ')}: ${why}\n${stderr}`);
  }
  return { stdout, stderr, status };
}

describe('the simulation', () => {
  let first: ReturnType<typeof run>;
  beforeAll(() => {
    first = run('scripts/simulate.mjs', '--seeds', '100', '--coverage');
  });

  it('finds no violation in 100 seeds, and runs most of what it is about', () => {
    const { stderr, status } = first;
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
    const digest = /^seed 17: .* trace (\w+)/m;
    const [, among] = digest.exec(first.stderr)!;
    const { stdout, stderr } = run(COMPILED, '--seed', '17');
    expect(digest.exec(stderr)![1]).toBe(among);
    expect(stdout.length).toBeGreaterThan(100_000);
    const written = createHash('sha256').update(stdout.slice(0, -1)).digest('hex');
    expect(written.startsWith(among!)).toBe(true);
  });
});
