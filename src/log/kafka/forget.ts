import type { Kafka } from 'kafkajs';
import type { Forgetting } from '../upload-log.js';
import type { DirectReader } from './direct-reader.js';
import { readRange } from './read-range.js';
import { withAdmin } from './with-admin.js';

/**
 * Takes the records that match out of a topic. Kafka deletes the oldest records of a partition and
 * none from its middle, so everything before the last of them goes too, after `carryOver`.
 *
 * Reads the whole topic. What is deleted cannot be read any more; brokers remove it from their disks
 * with the segment that it stands in.
 *
 * @param topic the full name
 * @param freeNow by partition: records below are needed by no consumer; asked again before the deletion,
 *   because a group may have been rewound meanwhile
 * @returns how many that match are left, at least
 * @throws LogUnavailableError
 */
export async function forgetRecords(
  { kafka, reader }: { readonly kafka: Kafka; readonly reader: DirectReader },
  topic: string,
  freeNow: () => Promise<readonly number[]>,
  { matches, carryOver }: Pick<Forgetting, 'matches' | 'carryOver'>,
): Promise<number> {
  const firsts = await reader.offsets(topic, 'first');
  const ends = await reader.offsets(topic, 'next');
  const free = await freeNow();
  const doomed: { partition: number; before: number }[] = [];
  let left = 0;
  for (const [partition, end] of ends.entries()) {
    const first = firsts[partition] ?? 0;
    let before = 0;
    for await (const records of readRange(reader, topic, partition, first, end)) {
      for (const record of records) {
        if (!matches(record)) continue;
        if (record.offset < (free[partition] ?? 0)) before = record.offset + 1;
        else left++;
      }
    }
    if (before === 0) continue;
    await carryOver?.(partition, before);
    doomed.push({ partition, before });
  }
  const stillFree = await freeNow();
  const deletable = doomed.filter(({ partition, before }) => before <= (stillFree[partition] ?? 0));
  if (deletable.length > 0) await deleteBefore(kafka, topic, deletable);
  return left + doomed.length - deletable.length;
}

async function deleteBefore(
  kafka: Kafka,
  topic: string,
  doomed: readonly { readonly partition: number; readonly before: number }[],
): Promise<void> {
  await withAdmin(kafka, `deleting records of ${topic}`, async (admin) => {
    // Deleting looks the leaders up among the topics that this client knows.
    await admin.fetchTopicOffsets(topic);
    await admin.deleteTopicRecords({
      topic,
      partitions: doomed.map(({ partition, before }) => ({ partition, offset: String(before) })),
    });
  });
}
