import { statfsSync } from 'node:fs';
import { logErrors } from '../../ops/metrics.js';
import { LogUnavailableError } from '../upload-log.js';

/**
 * Bytes kept for watermarks and deletions when no record may be written any more, and for LMDB's
 * own pages.
 */
const RESERVE_BYTES = 64 * 1024 * 1024;
/** The same when the file has pages to use again: so much of them, and less of the disk. */
const RESERVE_BESIDE_PAGES_BYTES = RESERVE_BYTES / 2;

/**
 * How old the disk's answer may be. Asking before every append took 4 % of the event loop of a
 * gateway under load. In this time other writers do not fill the reserve.
 */
const LOOK_MS = 10;

/**
 * Keeps records from taking the last of the disk: deletions, which make room, need some themselves.
 * They make it inside the file, which does not shrink.
 */
export class DiskReserve {
  private free = 0;
  /** undefined: not asked since. */
  private reusable: number | undefined;
  private lookedAt = -Infinity;
  /** Bytes of records that the disk's last answer may not include. */
  private promised = 0;
  /** Those of them written since: the next answer includes them. */
  private written = 0;

  /**
   * @param freeBytes of the disk
   * @param reusableBytes of the file; asked when the disk has little left
   */
  constructor(
    private readonly freeBytes: () => number,
    private readonly reusableBytes: () => number,
  ) {}

  /**
   * Calls `write` at once if there is room.
   *
   * @throws LogUnavailableError
   */
  async within<T>(bytes: number, write: () => Promise<T>): Promise<T> {
    if (performance.now() - this.lookedAt >= LOOK_MS) this.look();
    if (!this.hasRoom(this.promised + bytes)) {
      logErrors.inc({ operation: 'append' });
      throw new LogUnavailableError('the log leaves the last 64 MiB of the disk free');
    }
    this.promised += bytes;
    try {
      return await write();
    } finally {
      this.written += bytes;
    }
  }

  private hasRoom(bytes: number): boolean {
    if (this.free >= RESERVE_BYTES + bytes) return true;
    this.reusable ??= this.reusableBytes();
    return (
      this.free >= RESERVE_BESIDE_PAGES_BYTES + bytes && this.reusable >= RESERVE_BYTES + bytes
    );
  }

  private look(): void {
    try {
      this.free = this.freeBytes();
      this.reusable = undefined;
    } catch (cause) {
      throw new LogUnavailableError('the free space of the disk of the log cannot be read', {
        cause,
      });
    }
    this.lookedAt = performance.now();
    this.promised -= this.written;
    this.written = 0;
  }
}

/** For processes that are not root. */
export function freeBytesOf(dir: string): number {
  const { bavail, bsize } = statfsSync(dir);
  return bavail * bsize;
}
