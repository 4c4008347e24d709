import { CONSUMER_GROUPS, type UploadLog } from '../../log/upload-log.js';
import { CLOCK_MARGIN_MS, offsetsAt } from '../../log/offsets-at.js';

/**
 * Makes ingest read again what the log took at `time` (milliseconds since the epoch) or later.
 * It begins an hour before: the log's clocks may be behind, and a replay changes nothing that is
 * right. Records that it has not read yet are not skipped.
 *
 * @returns how many records will be read again
 * @throws LogUnavailableError
 * @throws Error, one line, when a process runs ingest
 */
export async function replayFrom(log: UploadLog, time: number): Promise<number> {
  const { topic, group } = CONSUMER_GROUPS.ingest;
  const committed = await log.committedOffsets(topic, group);
  const found = await offsetsAt(log, topic, time - CLOCK_MARGIN_MS);
  const offsets = found.map((offset, partition) => Math.min(offset, committed[partition] ?? 0));
  await log.rewind(topic, group, offsets);
  return offsets.reduce((sum, offset, partition) => sum + (committed[partition] ?? 0) - offset, 0);
}
