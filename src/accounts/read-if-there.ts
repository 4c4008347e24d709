import { readFile } from 'node:fs/promises';

import { codeOf } from '../domain/failure.js';

/** The text of a file; undefined when there is no such file. */
export async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}
