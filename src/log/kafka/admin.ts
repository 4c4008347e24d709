import kafkajs, { type Admin, type Kafka } from 'kafkajs';
import { unavailable } from './failure.js';

/** States of a group without members. */
const EMPTY = new Set(['Empty', 'Dead']);

/**
 * How long a topic keeps a record at most, in milliseconds; Infinity: for ever.
 *
 * Brokers delete whole segments, when the last record of a segment is older than `retention.ms`. A
 * segment takes records for `segment.ms`, so its first record stays that much longer.
 *
 * @param topic the full name
 * @throws LogUnavailableError
 */
export async function maxRetentionMs(kafka: Kafka, topic: string): Promise<number> {
  return withAdmin(kafka, `the retention of ${topic}`, async (admin) => {
    const { resources } = await admin.describeConfigs({
      includeSynonyms: false,
      resources: [
        {
          type: kafkajs.ConfigResourceTypes.TOPIC,
          name: topic,
          configNames: ['retention.ms', 'segment.ms'],
        },
      ],
    });
    const settings = resources[0]?.configEntries ?? [];
    const millisecondsOf = (name: string): number =>
      Number(settings.find(({ configName }) => configName === name)?.configValue);
    const retentionMs = millisecondsOf('retention.ms');
    const ms = retentionMs + millisecondsOf('segment.ms');
    if (Number.isNaN(ms)) throw new Error('the brokers do not tell it');
    return retentionMs < 0 ? Infinity : ms;
  });
}

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
    const partitions = offsets.map((offset, partition) => ({ partition, offset: String(offset) }));
    await admin.setOffsets({ groupId: group, topic, partitions });
    // kafkajs says nothing of a partition without a leader, and does not set its offset.
    const [committed] = await admin.fetchOffsets({ groupId: group, topics: [topic] });
    const set = new Map(committed?.partitions.map(({ partition, offset }) => [partition, offset]));
    const missing = partitions.find(({ partition, offset }) => set.get(partition) !== offset);
    if (missing !== undefined) throw new Error(`partition ${missing.partition} has no leader`);
    return true;
  });
  if (isEmpty) return;
  throw new Error(`the group ${group} has a member; stop every process with the role ingest first`);
}

/**
 * Asks the brokers something as an administrator.
 *
 * @param what is asked, for the error
 * @throws LogUnavailableError for every failure
 */
async function withAdmin<T>(
  kafka: Kafka,
  what: string,
  ask: (admin: Admin) => Promise<T>,
): Promise<T> {
  const admin = kafka.admin();
  try {
    await admin.connect();
    return await ask(admin);
  } catch (error) {
    throw unavailable(what, error);
  } finally {
    await admin.disconnect();
  }
}
