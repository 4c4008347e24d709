import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';

import { runs } from '../service/command.js';

/** The process id follows. Not in TMPDIR, which someone may delete with everything in it. */
export const DISKS = '/tmp/custom-data-disks-';
const OWNED = new RegExp(`^${DISKS}(\\d+)-`);

/** Unmounts and removes the disks of processes that have ended. */
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

/** Unmounts a folder. Files that are still open keep the disk until they are closed. */
export function unmountAnyway(folder: string): void {
  // Fails if the disk is not frozen.
  runs('fsfreeze', ['--unfreeze', folder]);
  if (!runs('umount', [folder])) spawnSync('umount', ['--lazy', folder]);
}
