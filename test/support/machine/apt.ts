import { spawnSync } from 'node:child_process';

const INSTALL_MS = 300_000;

/**
 * Whether something is on the machine. Where it is not, root installs the distribution's packages
 * that bring it.
 */
export function isOrGetsInstalled(isThere: () => boolean, packages: readonly string[]): boolean {
  if (isThere()) return true;
  if (process.getuid?.() !== 0) return false;
  const install = ['install', '-y', '--no-install-recommends', ...packages];
  // A fresh image has no lists of packages, or old ones.
  for (const command of [install, ['update'], install]) {
    apt(command);
    if (isThere()) return true;
  }
  return false;
}

/** Another test file may be installing at the same time, so that one waits for the other. */
function apt(command: readonly string[]): void {
  spawnSync('apt-get', ['-o', 'DPkg::Lock::Timeout=240', ...command], {
    stdio: 'ignore',
    timeout: INSTALL_MS,
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  });
}
