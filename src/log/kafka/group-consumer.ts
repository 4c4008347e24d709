import kafkajs, {
  type Consumer,
  type EachBatchPayload,
  type Kafka,
  type PartitionAssigner,
} from 'kafkajs';
import { QUICK_RETRIES } from './client.js';

/** How long a broker holds a fetch that has nothing to tell; also what a resumed partition may wait. */
const WAIT_MS = 250;
/** As the brokers hold them: compressed. */
const FETCH_BYTES = 4 * 1024 * 1024;
const PARTITION_BYTES = 1024 * 1024;
/** Batches handed over at once; a fetch brings at most one of each partition. */
const CONCURRENT_BATCHES = 64;
/** Members that are there answer a rebalance with their next heartbeat. */
const REBALANCE_MS = 30_000;

export interface ConsumerOptions {
  readonly kafka: Kafka;
  /** The full name. */
  readonly topic: string;
  /** The full name. */
  readonly group: string;
  /** After so long without a heartbeat a member's partitions go to others. */
  readonly sessionMs: number;
  /** How old the knowledge of partitions may be. */
  readonly metadataMs: number;
}

export interface ConsumerEvents {
  /** Before a join is asked for: from here on the partitions may be another's. */
  joining(): void;
  joined(partitions: readonly number[]): void;
  /** It does nothing any more. */
  crashed(error: unknown): void;
  take(payload: EachBatchPayload): Promise<void>;
}

/**
 * A consumer of kafkajs that commits nothing by itself and is not restarted when it crashes.
 *
 * When its question for its partitions is not answered in time, kafkajs goes on as a member all the
 * same: the group takes the partitions for its own, and nobody reads them. Its next heartbeat tells.
 */
export function startConsumer(options: ConsumerOptions, events: ConsumerEvents): Consumer {
  const { kafka, topic, group, sessionMs, metadataMs } = options;
  let isJoining = false;
  const joining = (): void => {
    isJoining = true;
    events.joining();
  };
  const consumer = kafka.consumer({
    groupId: group,
    partitionAssigners: [roundRobin(joining)],
    sessionTimeout: sessionMs,
    heartbeatInterval: Math.floor(sessionMs / 4),
    rebalanceTimeout: REBALANCE_MS,
    metadataMaxAge: metadataMs,
    maxWaitTimeInMs: WAIT_MS,
    maxBytes: FETCH_BYTES,
    maxBytesPerPartition: PARTITION_BYTES,
    allowAutoTopicCreation: false,
    // A crashed consumer is replaced where the reason is looked at.
    retry: { ...QUICK_RETRIES, restartOnFailure: () => Promise.resolve(false) },
  });
  consumer.on(consumer.events.GROUP_JOIN, ({ payload: { memberAssignment } }) => {
    isJoining = false;
    events.joined(memberAssignment[topic] ?? []);
  });
  consumer.on(consumer.events.HEARTBEAT, () => {
    if (isJoining) events.crashed(new Error('the group has not told it its partitions'));
  });
  consumer.on(consumer.events.CRASH, ({ payload: { error } }) => {
    events.crashed(error);
  });
  run(consumer, topic, events).catch((error: unknown) => {
    events.crashed(error);
  });
  return consumer;
}

async function run(consumer: Consumer, topic: string, events: ConsumerEvents): Promise<void> {
  await consumer.connect();
  await consumer.subscribe({ topics: [topic], fromBeginning: true });
  await consumer.run({
    autoCommit: false,
    eachBatchAutoResolve: false,
    partitionsConsumedConcurrently: CONCURRENT_BATCHES,
    eachBatch: (payload) => events.take(payload),
  });
}

/**
 * Round robin. `protocol` makes what a member sends when it joins: the last moment at which it
 * surely still has its partitions. The event of kafkajs about a rebalance is not sent for all of them.
 */
function roundRobin(joining: () => void): PartitionAssigner {
  return (config) => {
    const assigner = kafkajs.PartitionAssigners.roundRobin(config);
    return {
      name: assigner.name,
      version: assigner.version,
      assign: (group) => assigner.assign(group),
      protocol: (subscription) => {
        joining();
        return assigner.protocol(subscription);
      },
    };
  };
}
