import { spawnSync } from 'node:child_process';

const INSTALL_MS = 300_000;

/**
 * Whether something is installed. If it is missing, root installs the distribution's packages that
 * provide it.
 */
export function isOrGetsInstalled(isThere: () => boolean, packages: readonly string[]): boolean {
  if (isThere()) return true;
  if (process.getuid?.() !== 0) return false;
  const install = ['install', '-y', '--no-install-recommends', ...packages];
  // A fresh image may have no package lists, or outdated ones.
  for (const command of [install, ['update'], install]) {
    apt(command);
    if (isThere()) return true;
  }
  return false;
}

/** Waits for the lock, because another test file may be installing at the same time. */
function apt(command: readonly string[]): void {
  spawnSync('apt-get', ['-o', 'DPkg::Lock::Timeout=240', ...command], {
    stdio: 'ignore',
    timeout: INSTALL_MS,
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  });
}
