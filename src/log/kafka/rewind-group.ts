import type { Kafka } from 'kafkajs';
import { unavailable } from './failure.js';

/** States of a group without members. */
const EMPTY = new Set(['Empty', 'Dead']);

/**
 * Lets a group begin at `offsets` (by partition) again.
 *
 * @param topic the full name
 * @param group the full name
 * @throws LogUnavailableError
 * @throws Error, one line, when the group has a member
 */
export async function rewindGroup(
  kafka: Kafka,
  topic: string,
  group: string,
  offsets: readonly number[],
): Promise<void> {
  const admin = kafka.admin();
  try {
    await admin.connect();
    const { groups } = await admin.describeGroups([group]);
    const state = groups[0]?.state ?? 'Dead';
    if (EMPTY.has(state)) {
      await admin.setOffsets({
        groupId: group,
        topic,
        partitions: offsets.map((offset, partition) => ({ partition, offset: String(offset) })),
      });
      return;
    }
  } catch (error) {
    throw unavailable(`the offsets of ${group}`, error);
  } finally {
    await admin.disconnect();
  }
  throw new Error(`the group ${group} has a member; stop every process with the role ingest first`);
}
