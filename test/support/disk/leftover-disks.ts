import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';

import { runs } from '../service/command.js';

/** Behind it the process that they belong to. Not in TMPDIR, which somebody may remove with all in it. */
export const DISKS = '/tmp/custom-data-disks-';
const OWNED = new RegExp(`^${DISKS}(\\d+)-`);

/** Of processes that have ended: unmounts and removes them. */
export function removeLeftoverDisks(): void {
  for (const name of readdirSync('/tmp')) {
    const folder = `/tmp/${name}`;
    const [, pid] = OWNED.exec(folder) ?? [];
    if (pid === undefined || existsSync(`/proc/${pid}`)) continue;
    const mounts = readFileSync('/proc/self/mounts', 'utf8')
      .split('\n')
      .map((line) => line.split(' ')[1] ?? '')
      .filter((mount) => mount.startsWith(`${folder}/`));
    for (const mount of mounts.reverse()) unmountAnyway(mount);
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What is still open there keeps the disk until it is closed. */
export function unmountAnyway(folder: string): void {
  if (!runs('umount', [folder])) spawnSync('umount', ['--lazy', folder]);
}
