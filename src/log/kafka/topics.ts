import kafkajs, { type Admin } from 'kafkajs';
import { type Topic, TOPICS } from '../upload-log.js';
import { KafkaSetupError, rootOf } from './failure.js';

/** One append is one batch at the broker: what is gathered into it, and the largest single record, fit. */
export const MAX_MESSAGE_BYTES = 2 * 1024 * 1024;

/**
 * Every gateway follows the status topic as a whole; two carry a few records a day; of claims the
 * order in one partition decides.
 */
const OTHER_PARTITIONS = { status: 4, 'dead-letter': 1, control: 1, claims: 1 } as const;

export interface TopicSettings {
  /** Of the topic `uploads`, where it has to be created. */
  readonly partitions: number;
  /** Of topics that have to be created; undefined: the brokers' own default. */
  readonly replicationFactor: number | undefined;
  readonly retentionMs: number;
}

/**
 * Creates the topics that are missing and checks every one of them.
 *
 * @throws KafkaSetupError naming the topic and the setting that does not do
 */
export async function ensureTopics(
  admin: Admin,
  prefix: string,
  settings: TopicSettings,
): Promise<void> {
  const present = new Set(await admin.listTopics());
  for (const topic of TOPICS) {
    if (!present.has(prefix + topic)) await create(admin, topic, prefix + topic, settings);
  }
  await check(
    admin,
    TOPICS.map((topic) => prefix + topic),
    settings.retentionMs,
  );
}

async function create(
  admin: Admin,
  topic: Topic,
  name: string,
  { partitions, replicationFactor, retentionMs }: TopicSettings,
): Promise<void> {
  const configs = {
    'cleanup.policy': 'delete',
    'max.message.bytes': MAX_MESSAGE_BYTES,
    // By the leader's clock: those of several gateways differ, and times may not decrease.
    'message.timestamp.type': 'LogAppendTime',
    'retention.bytes': -1,
    'retention.ms': retentionMs,
  };
  try {
    await admin.createTopics({
      topics: [
        {
          topic: name,
          numPartitions: topic === 'uploads' ? partitions : OTHER_PARTITIONS[topic],
          ...(replicationFactor === undefined ? {} : { replicationFactor }),
          configEntries: Object.entries(configs).map(([key, value]) => ({
            name: key,
            value: String(value),
          })),
        },
      ],
    });
  } catch (error) {
    const refused = (error as { errors?: readonly unknown[] }).errors?.[0] ?? error;
    const { type, message } = rootOf(refused);
    if (type === 'INVALID_REPLICATION_FACTOR') {
      throw new KafkaSetupError(
        `KAFKA_REPLICATION_FACTOR: topic ${name} cannot be created: ${message}`,
      );
    }
    throw refused;
  }
}

async function check(admin: Admin, names: readonly string[], retentionMs: number): Promise<void> {
  const { resources } = await admin.describeConfigs({
    includeSynonyms: false,
    resources: names.map((name) => ({ type: kafkajs.ConfigResourceTypes.TOPIC, name })),
  });
  for (const { resourceName, configEntries } of resources) {
    const values = new Map(
      configEntries.map(({ configName, configValue }) => [configName, configValue]),
    );
    const demand = (setting: string, holds: (value: string) => boolean, needed: string): void => {
      const value = values.get(setting) ?? 'unknown';
      if (holds(value)) return;
      throw new KafkaSetupError(
        `topic ${resourceName}: ${setting} is ${value}, but it has to be ${needed}`,
      );
    };
    // A compacted topic keeps the last record of a key, not the furthest transition.
    demand('cleanup.policy', (value) => value === 'delete', 'delete');
    demand(
      'max.message.bytes',
      (value) => Number(value) >= MAX_MESSAGE_BYTES,
      `at least ${MAX_MESSAGE_BYTES}`,
    );
    demand('message.timestamp.type', (value) => value === 'LogAppendTime', 'LogAppendTime');
    demand(
      'retention.ms',
      (value) => value === '-1' || Number(value) >= retentionMs,
      `at least ${retentionMs} (LOG_RETENTION_HOURS)`,
    );
    demand('retention.bytes', (value) => value === '-1', '-1 (no limit)');
  }
}
