import { LogUnavailableError, type LogRecord } from '../upload-log.js';
import type { DirectReader } from './direct-reader.js';
import { outOfRange } from './failure.js';
import { RecordDecoder } from './log-record.js';

const FETCH_BYTES = 4 * 1024 * 1024;
/** Only records that are there are asked for, so this time never passes. */
const WAIT_MS = 100;

/**
 * The records of one partition with `from` <= offset < `end` that are still kept, in batches.
 *
 * @param topic the full name
 * @param end at most the offset that the next record gets
 * @throws LogUnavailableError
 */
export async function* readRange(
  reader: DirectReader,
  topic: string,
  partition: number,
  from: number,
  end: number,
): AsyncGenerator<readonly LogRecord[]> {
  const decoder = new RecordDecoder(partition);
  let next = from;
  while (next < end) {
    const records = await reader.retried(`${topic}/${partition}`, async () => {
      const place = { partition, offset: next };
      const node = leaderOf(reader, topic, partition);
      try {
        // A broker sends a whole batch in any case, and one record needs no more.
        const bytes = end - next === 1 ? 1 : FETCH_BYTES;
        const [fetched] = await reader.fetch(node, topic, [place], bytes, WAIT_MS);
        return decoder.decode(fetched?.messages ?? [], next);
      } catch (error) {
        if (outOfRange(error) === undefined) throw error;
        const there = await reader.realigned(topic, partition, next);
        if (there === next) throw error;
        // Retention has deleted these records, or the topic was made anew without them.
        next = there > next ? there : end;
        return [];
      }
    });
    const last = records.at(-1);
    if (last === undefined) continue;
    next = last.offset + 1;
    const batch = next <= end ? records : records.filter(({ offset }) => offset < end);
    if (batch.length > 0) yield batch;
  }
}

function leaderOf(reader: DirectReader, topic: string, partition: number): string {
  for (const [node, partitions] of reader.leaders(topic)) {
    if (partitions.includes(partition)) return node;
  }
  throw new LogUnavailableError(`${topic} has no partition ${partition}`);
}
