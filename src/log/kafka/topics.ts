import kafkajs, { type Admin } from 'kafkajs';
import { ConfigError } from '../../config/config.js';
import { type Topic, TOPICS } from '../upload-log.js';
import { rootOf } from './failure.js';

/**
 * One append is one batch at the broker. Both its limits fit: what is gathered, and the largest
 * single record.
 */
export const MAX_MESSAGE_BYTES = 2 * 1024 * 1024;

/**
 * A record is acknowledged when so many brokers have it, or all replicas. With two replicas it is
 * two as well, so that the promise is the same: no acknowledged record is lost with one machine.
 * Then appends wait while either is away. With three, one may be away.
 */
const MIN_IN_SYNC = 2;
/** Retention deletes whole segments only. */
const SEGMENT_MS = 24 * 3_600_000;

/**
 * Every gateway follows the whole status topic. `dead-letter` and `control` get a few records a
 * day. The order within the one partition of `claims` decides.
 */
const OTHER_PARTITIONS = { status: 4, 'dead-letter': 1, control: 1, claims: 1 } as const;

export interface TopicSettings {
  /** Of the topic `uploads`, if the service creates it. */
  readonly partitions: number;
  /** Of topics that the service creates; undefined: the brokers' own default. */
  readonly replicationFactor: number | undefined;
  readonly retentionMs: number;
}

/**
 * Creates missing topics and checks all of them.
 *
 * @returns the smallest number of replicas of any partition
 * @throws ConfigError naming the topic and its wrong setting
 */
export async function ensureTopics(
  admin: Admin,
  prefix: string,
  settings: TopicSettings,
): Promise<number> {
  const present = new Set(await admin.listTopics());
  const missing = TOPICS.filter((topic) => !present.has(prefix + topic));
  if (missing.length > 0) {
    const replicas = settings.replicationFactor ?? (await defaultReplicas(admin));
    for (const topic of missing) await create(admin, topic, prefix + topic, replicas, settings);
  }
  const names = TOPICS.map((topic) => prefix + topic);
  const replicas = await replicasOf(admin, names);
  await check(admin, replicas, settings.retentionMs);
  return Math.min(...replicas.values());
}

/** What the brokers give a topic that asks for nothing. */
async function defaultReplicas(admin: Admin): Promise<number> {
  const { brokers } = await admin.describeCluster();
  const setting = 'default.replication.factor';
  const { resources } = await admin.describeConfigs({
    includeSynonyms: false,
    resources: [
      {
        type: kafkajs.ConfigResourceTypes.BROKER,
        name: String(brokers[0]?.nodeId),
        configNames: [setting],
      },
    ],
  });
  const replicas = Number(resources[0]?.configEntries[0]?.configValue);
  if (replicas >= 1) return replicas;
  throw new ConfigError(
    `KAFKA_REPLICATION_FACTOR: to be set, since the brokers do not tell their ${setting}`,
  );
}

/** By topic: the replicas of its partition with the fewest. */
async function replicasOf(admin: Admin, names: string[]): Promise<Map<string, number>> {
  const { topics } = await admin.fetchTopicMetadata({ topics: names });
  return new Map(
    topics.map(({ name, partitions }) => [
      name,
      Math.min(...partitions.map(({ replicas }) => replicas.length)),
    ]),
  );
}

async function create(
  admin: Admin,
  topic: Topic,
  name: string,
  replicas: number,
  { partitions, retentionMs }: TopicSettings,
): Promise<void> {
  const configs = {
    'cleanup.policy': 'delete',
    'max.message.bytes': MAX_MESSAGE_BYTES,
    // By the leader's clock: the clocks of gateways differ, and times may not decrease.
    'message.timestamp.type': 'LogAppendTime',
    'min.insync.replicas': Math.min(MIN_IN_SYNC, replicas),
    'retention.bytes': -1,
    'retention.ms': retentionMs,
    'segment.ms': SEGMENT_MS,
    // A replica that is behind, as a leader, would lose acknowledged records.
    'unclean.leader.election.enable': false,
  };
  try {
    await admin.createTopics({
      topics: [
        {
          topic: name,
          numPartitions: topic === 'uploads' ? partitions : OTHER_PARTITIONS[topic],
          replicationFactor: replicas,
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
      throw new ConfigError(
        `KAFKA_REPLICATION_FACTOR: topic ${name} cannot be created: ${message}`,
      );
    }
    throw refused;
  }
}

async function check(
  admin: Admin,
  replicas: ReadonlyMap<string, number>,
  retentionMs: number,
): Promise<void> {
  const { resources } = await admin.describeConfigs({
    includeSynonyms: false,
    resources: Array.from(replicas.keys(), (name) => ({
      type: kafkajs.ConfigResourceTypes.TOPIC,
      name,
    })),
  });
  for (const { resourceName, configEntries } of resources) {
    const values = new Map(
      configEntries.map(({ configName, configValue }) => [configName, configValue]),
    );
    const demand = (setting: string, holds: (value: string) => boolean, needed: string): void => {
      const value = values.get(setting) ?? 'unknown';
      if (holds(value)) return;
      throw new ConfigError(
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
    const inSync = Math.min(MIN_IN_SYNC, replicas.get(resourceName) ?? MIN_IN_SYNC);
    demand('min.insync.replicas', (value) => Number(value) >= inSync, `at least ${inSync}`);
    demand('unclean.leader.election.enable', (value) => value === 'false', 'false');
  }
}
