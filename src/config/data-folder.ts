import { join } from 'node:path';

/** Where the embedded log stands in the data folder. */
export function logFolder(dataDir: string): string {
  return join(dataDir, 'log');
}
