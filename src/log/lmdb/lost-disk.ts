import { closeSync, openSync } from 'node:fs';

/** The file system has become read-only, or has given up. */
const LOST = new Set(['EROFS', 'EIO']);

/**
 * Whether a file whose writing has failed can be written never again, as far as this process goes.
 * On a disk that is full, or that fails in places, the file opens.
 *
 * @returns what is wrong; undefined: the next write may succeed
 */
export function lostDisk(file: string): Error | undefined {
  try {
    closeSync(openSync(file, 'r+'));
    return undefined;
  } catch (cause) {
    const { code = '' } = cause as NodeJS.ErrnoException;
    return LOST.has(code) ? new Error(`${file} cannot be written any more`, { cause }) : undefined;
  }
}
