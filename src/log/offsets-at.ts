import type { LogRecord, RecordPosition, Topic, UploadLog } from './upload-log.js';

/** How far the log's times may be from those of other clocks: each broker has its own. */
export const CLOCK_MARGIN_MS = 3_600_000;

/**
 * The first record from the position on that the log still keeps; undefined when there is none
 * before `end`.
 *
 * @throws LogUnavailableError
 */
export async function firstKept(
  log: UploadLog,
  topic: Topic,
  { partition, offset }: RecordPosition,
  end: number,
): Promise<LogRecord | undefined> {
  if (offset >= end) return undefined;
  // Usually the first record is there, and reading one is cheaper than reading a range.
  for (const to of new Set([offset + 1, end])) {
    for await (const [record] of log.read(topic, partition, offset, to)) {
      if (record !== undefined) return record;
    }
  }
  return undefined;
}

/**
 * By partition: the offset of the first kept record that the log took at `time` (milliseconds since
 * the epoch) or later; the end offset when there is none.
 *
 * Found by bisection, which needs only a log that can be asked for one record at a time.
 *
 * @throws LogUnavailableError
 */
export async function offsetsAt(log: UploadLog, topic: Topic, time: number): Promise<number[]> {
  const ends = await log.endOffsets(topic);
  const offsets: number[] = [];
  // One after the other: the Kafka client loses connections that it opens to a broker at once.
  for (const [partition, end] of ends.entries()) {
    offsets.push(await offsetAt(log, topic, partition, end, time));
  }
  return offsets;
}

async function offsetAt(
  log: UploadLog,
  topic: Topic,
  partition: number,
  end: number,
  time: number,
): Promise<number> {
  // Every record below `low` is older or gone, none from `high` on is older.
  let low = 0;
  let high = end;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    // Retention deletes the oldest records: all before one that is gone are gone too.
    const record = await firstKept(log, topic, { partition, offset: middle }, middle + 1);
    if (record === undefined || record.timestamp < time) low = middle + 1;
    else high = middle;
  }
  return low;
}
