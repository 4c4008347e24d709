import type { Kafka } from 'kafkajs';
import { withAdmin } from './with-admin.js';

/** States of a group without members. */
const EMPTY = new Set(['Empty', 'Dead']);

/**
 * Makes a group begin at `offsets` (by partition) again.
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
  const isEmpty = await withAdmin(kafka, `the offsets of ${group}`, async (admin) => {
    const { groups } = await admin.describeGroups([group]);
    if (!EMPTY.has(groups[0]?.state ?? 'Dead')) return false;
    await admin.setOffsets({
      groupId: group,
      topic,
      partitions: offsets.map((offset, partition) => ({ partition, offset: String(offset) })),
    });
    return true;
  });
  if (isEmpty) return;
  throw new Error(`the group ${group} has a member; stop every process with the role ingest first`);
}
