import { randomBytes } from 'node:crypto';
import { VersionClock } from '../../domain/version.js';
import type { UploadLog } from '../../log/upload-log.js';
import { StatusTail } from '../../status/status-tail.js';
import { StatusView } from '../../status/status-view.js';

/** Only the versions that pass through it are used. */
const VIEW_BYTES = 65_536;

/**
 * A clock above every version in the log, as a gateway has when it starts: gateways' clocks may be
 * ahead of this one.
 *
 * @throws LogUnavailableError
 */
export async function clockAbove(log: UploadLog, timeoutMs: number): Promise<VersionClock> {
  const clock = new VersionClock(Date.now, () => randomBytes(8).readBigUInt64LE());
  const tail = await StatusTail.start(log, new StatusView(VIEW_BYTES), clock);
  try {
    await tail.caughtUp(timeoutMs);
  } finally {
    await tail.stop();
  }
  return clock;
}
