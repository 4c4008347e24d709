import { spawnSync } from 'node:child_process';

import { type Browser, chromium } from 'playwright-core';

import { isOrGetsInstalled } from './apt.js';
import { describeIf } from './describe-if.js';

const program = findChromium();

/** Tests in a real browser. Skipped with a message where there is none; fails in CI. */
export const describeWithChromium = describeIf(
  program !== undefined,
  'Chromium is missing, and the package could not be installed (set CHROMIUM, or run as root)',
);

/** Starts a headless browser. The caller closes it. */
export function startChromium(): Promise<Browser> {
  if (program === undefined) throw new Error('there is no Chromium');
  return chromium.launch({ executablePath: program });
}

/** Finds the program in CHROMIUM or in PATH; otherwise root installs the distribution's package. */
function findChromium(): string | undefined {
  const given = process.env['CHROMIUM'] ?? 'chromium';
  if (doesRun(given)) return pathOf(given);
  return isOrGetsInstalled(() => doesRun('chromium'), ['chromium'])
    ? pathOf('chromium')
    : undefined;
}

function doesRun(command: string): boolean {
  return spawnSync(command, ['--version']).status === 0;
}

/** Playwright takes a path, not a name. */
function pathOf(command: string): string {
  const { stdout } = spawnSync('sh', ['-c', 'command -v "$1"', 'sh', command], {
    encoding: 'utf8',
  });
  return stdout.trim();
}
