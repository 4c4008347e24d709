import { mkdirSync, realpathSync } from 'node:fs';

const openFolders = new Set<string>();

/**
 * Claims a folder for one LMDB environment of this process. LMDB's locks belong to the process and
 * end when any of its handles on the lock file is closed: with a second environment on the folder,
 * other processes could write as if nobody had it open.
 *
 * @returns gives the folder back; undefined when it is claimed already
 */
export function openOnce(dir: string): (() => void) | undefined {
  mkdirSync(dir, { recursive: true });
  const folder = realpathSync(dir);
  if (openFolders.has(folder)) return undefined;
  openFolders.add(folder);
  return () => {
    openFolders.delete(folder);
  };
}
