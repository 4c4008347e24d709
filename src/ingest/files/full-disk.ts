import { setMaxListeners } from 'node:events';

import { codeOf } from '../../domain/failure.js';
import { retrying } from '../../domain/retry.js';
import type { Logger } from '../../ops/logger.js';

/** No room on the disk, no quota left, no file descriptor left: all of it may pass. */
const PASSING = new Set(['ENOSPC', 'EDQUOT', 'EMFILE', 'ENFILE']);

export function hasNoRoom(error: unknown): boolean {
  return PASSING.has(codeOf(error) ?? '');
}

/**
 * Lets work on working files wait while the disk has no room, or the process no file descriptor.
 * Every other failure of a file (a failing disk, a file system that has become read-only) is thrown:
 * a process that cannot work is to end.
 */
export class FullDisk {
  private waiting = 0;
  private readonly closing = new AbortController();

  constructor(private readonly logger: Logger) {
    // Every upload may wait.
    setMaxListeners(0, this.closing.signal);
  }

  /**
   * Calls `work` until it succeeds. After `close` every failure is thrown.
   *
   * @param work writes or reads; called again after a failure, which may have left a part of it done
   */
  async outlasting(work: () => Promise<void> | void): Promise<void> {
    const wait = { isBegun: false };
    try {
      await retrying(
        async () => work(),
        (error) => {
          if (!hasNoRoom(error)) return false;
          if (!wait.isBegun && this.waiting++ === 0) {
            this.logger.warn(
              { code: codeOf(error) },
              'uploads wait until the disk has room for working files',
            );
          }
          wait.isBegun = true;
          return true;
        },
        this.closing.signal,
      );
    } finally {
      if (wait.isBegun && --this.waiting === 0) {
        this.logger.info('no upload waits for room on the disk any more');
      }
    }
  }

  close(): void {
    this.closing.abort();
  }
}
