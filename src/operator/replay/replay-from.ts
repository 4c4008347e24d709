import type { Topic, UploadLog } from '../../log/upload-log.js';
import { offsetsAt } from '../../log/offsets-at.js';

/**
 * Makes a group read again what the log took at `time` (milliseconds since the epoch) or later.
 * Records that the group has not read yet are not skipped.
 *
 * @returns how many records will be read again
 * @throws LogUnavailableError
 * @throws Error, one line, when the group has a member
 */
export async function replayFrom(
  log: UploadLog,
  topic: Topic,
  group: string,
  time: number,
): Promise<number> {
  const committed = await log.committedOffsets(topic, group);
  const found = await offsetsAt(log, topic, time);
  const offsets = found.map((offset, partition) => Math.min(offset, committed[partition] ?? 0));
  await log.rewind(topic, group, offsets);
  return offsets.reduce((sum, offset, partition) => sum + (committed[partition] ?? 0) - offset, 0);
}
