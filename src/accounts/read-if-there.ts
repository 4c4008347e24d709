import { readFile } from 'node:fs/promises';

import { codeOf } from '../domain/failure.js';

/** The text of a file; undefined when there is no such file. */
export function readIfThere(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch(undefinedIfMissing);
}

/** To catch the error of a file that is not there. @throws every other error */
export function undefinedIfMissing(error: unknown): undefined {
  if (codeOf(error) !== 'ENOENT') throw error;
}
