import type { LogRecord, Topic, UploadLog } from '../log/upload-log.js';

/**
 * By partition: the offset of the first record that is still kept and that the log took at `time`
 * (milliseconds since the epoch) or later; the end offset when there is none.
 *
 * Found by halving, for which a log that is asked for one record at a time is enough.
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
  // Every record below `low` is older or gone, every one from `high` on is not older.
  let low = 0;
  let high = end;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    // Records may be gone anywhere: those of an erased account are.
    const record = await firstKept(log, topic, partition, middle, high);
    if (record !== undefined && record.timestamp < time) low = record.offset + 1;
    else high = middle;
  }
  return (await firstKept(log, topic, partition, low, end))?.offset ?? end;
}

/** The first record with `from` <= offset < `to` that is kept. */
async function firstKept(
  log: UploadLog,
  topic: Topic,
  partition: number,
  from: number,
  to: number,
): Promise<LogRecord | undefined> {
  // A range of one record is fetched as such: most often it is there.
  for (const end of from + 1 < to ? [from + 1, to] : [to]) {
    for await (const [record] of log.read(topic, partition, from, end)) {
      if (record !== undefined) return record;
    }
  }
  return undefined;
}
