import { join, resolve } from 'node:path';

/** Where the embedded log stands in the data folder. */
export function logFolder(dataDir: string): string {
  return join(dataDir, 'log');
}

/** Where the embedded engine keeps its tables. A read-only session opens the same folder. */
export function chdbFolder(dataDir: string): string {
  return resolve(dataDir, 'warehouse');
}
