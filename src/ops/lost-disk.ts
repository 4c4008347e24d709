import { closeSync, openSync } from 'node:fs';

/** The file system has become read-only, or has given up. */
const LOST = new Set(['EROFS', 'EIO']);

/**
 * Whether a disk on which a write has failed is lost for this process. On a full disk, or one with
 * bad places, the file can still be opened. An access check does not tell: a file system that has
 * met an error passes it.
 *
 * @param file on that disk; a missing file tells nothing
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
