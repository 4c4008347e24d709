import kafkajs, { type Kafka } from 'kafkajs';
import { withAdmin } from './with-admin.js';

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
