import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const CACHE = fileURLToPath(new URL('../../../.cache/', import.meta.url));

/**
 * Builds an ignored folder of the project, once. The folder is either complete or absent.
 *
 * @param name path within `.cache`
 */
export function builtOnce(name: string, fill: (folder: string) => void): string {
  const folder = cached(name);
  if (existsSync(folder)) return folder;
  mkdirSync(dirname(folder), { recursive: true });
  const work = mkdtempSync(join(dirname(folder), 'new-'));
  try {
    fill(work);
    renameSync(work, folder);
  } catch (error) {
    // When two test files build it at once, the second finds the folder in place.
    if (!existsSync(folder)) throw error;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  return folder;
}

export function isBuilt(name: string): boolean {
  return existsSync(cached(name));
}

function cached(name: string): string {
  return join(CACHE, name);
}
