import { statfsSync } from 'node:fs';
import { logErrors } from '../../ops/metrics.js';
import { LogUnavailableError } from '../upload-log.js';

/** For watermarks and deletions when no record may be written any more, and for LMDB's own pages. */
const RESERVE_BYTES = 64 * 1024 * 1024;

/**
 * Keeps records from taking the last of the disk. LMDB's library (3.5.6) writes the message of a
 * failed data write past its buffer, which may end the process; and what makes room needs some.
 */
export class DiskReserve {
  /** Of records that are not written yet. */
  private promised = 0;

  /** @param freeBytes of the disk; asked before every append, in 3 µs */
  constructor(private readonly freeBytes: () => number) {}

  /**
   * Calls `write` at once if there is room.
   *
   * @throws LogUnavailableError
   */
  async within<T>(bytes: number, write: () => Promise<T>): Promise<T> {
    if (this.free() < RESERVE_BYTES + this.promised + bytes) {
      logErrors.inc({ operation: 'append' });
      throw new LogUnavailableError('the log leaves the last 64 MiB of the disk free');
    }
    this.promised += bytes;
    try {
      return await write();
    } finally {
      this.promised -= bytes;
    }
  }

  private free(): number {
    try {
      return this.freeBytes();
    } catch (cause) {
      throw new LogUnavailableError('the disk of the log does not say what it has left', { cause });
    }
  }
}

/** For whoever is not root. */
export function freeBytesOf(dir: string): number {
  const { bavail, bsize } = statfsSync(dir);
  return bavail * bsize;
}
