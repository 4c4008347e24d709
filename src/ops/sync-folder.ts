import { closeSync, fsyncSync, openSync } from 'node:fs';

/** Makes the names of new and renamed files in the folder durable. Their contents may not be. */
export function syncFolder(dir: string): void {
  const folder = openSync(dir, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
