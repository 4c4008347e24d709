import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Creates a folder for working files, or removes the files that an earlier process left in it. The
 * folder itself stays, for it may be a volume of its own, and so do folders in it (`lost+found`).
 */
export async function emptyFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (!entry.isDirectory()) await rm(join(folder, entry.name), { force: true });
  }
}
