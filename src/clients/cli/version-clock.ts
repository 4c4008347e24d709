import { randomBytes } from 'node:crypto';
import { VersionClock } from '../../domain/version.js';
import { isLogUnavailable, type UploadLog } from '../../log/upload-log.js';
import { StatusTail } from '../../status/status-tail.js';
import { StatusView } from '../../status/status-view.js';

/** Only the versions that pass through it are used. */
const VIEW_BYTES = 65_536;

/**
 * A clock above every version in the log, as a gateway has when it starts: gateways' clocks may be
 * ahead of this one. Waits as long as records come: the history may be far behind.
 *
 * @param timeoutMs how long none may come
 * @throws LogUnavailableError
 */
export async function clockAbove(log: UploadLog, timeoutMs: number): Promise<VersionClock> {
  const clock = new VersionClock(Date.now, () => randomBytes(8).readBigUInt64LE());
  const tail = await StatusTail.start(log, new StatusView(VIEW_BYTES), clock);
  const hasMovedSince = (time: number): boolean =>
    Array.from({ length: log.partitions('status') }).some((_, i) => tail.movedAt(i) > time);
  try {
    for (;;) {
      const from = performance.now();
      try {
        await tail.caughtUp(timeoutMs);
        return clock;
      } catch (error) {
        if (!isLogUnavailable(error) || !hasMovedSince(from)) throw error;
      }
    }
  } finally {
    await tail.stop();
  }
}
