import kafkajs, {
  type Consumer,
  type EachBatchPayload,
  type Kafka,
  type PartitionAssigner,
} from 'kafkajs';
import { QUICK_RETRIES } from './client.js';

/** How long a broker holds a fetch without records; a resumed partition may wait as long. */
const WAIT_MS = 250;
/** Bytes as the brokers hold them: compressed. */
const FETCH_BYTES = 4 * 1024 * 1024;
const PARTITION_BYTES = 1024 * 1024;
/** Batches handed over at once; a fetch brings at most one for each partition. */
const CONCURRENT_BATCHES = 64;
/** One may have been on its way when the member asked to join. */
const FEW_HEARTBEATS = 1;
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
  /** How old the metadata about partitions may be. */
  readonly metadataMs: number;
}

export interface ConsumerEvents {
  /** Before a join is asked for: from now on the partitions may belong to others. */
  joining(): void;
  joined(partitions: readonly number[]): void;
  /** The consumer has ended. */
  crashed(error: unknown): void;
  take(payload: EachBatchPayload): Promise<void>;
}

/**
 * A consumer of kafkajs that commits nothing by itself and is not restarted when it crashes.
 *
 * When a join is answered but the request for its partitions is not, kafkajs goes on as a member
 * all the same: the group counts the partitions as its own, and nobody reads them. The heartbeats
 * that follow show that.
 */
export function startConsumer(options: ConsumerOptions, events: ConsumerEvents): Consumer {
  const { kafka, topic, group, sessionMs, metadataMs } = options;
  /** Since it has asked to join; undefined: it has its partitions. */
  let heartbeats: number | undefined;
  const joining = (): void => {
    heartbeats = 0;
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
    // A crashed consumer is replaced where its error is looked at.
    retry: { ...QUICK_RETRIES, restartOnFailure: () => Promise.resolve(false) },
  });
  consumer.on(consumer.events.GROUP_JOIN, ({ payload: { memberAssignment } }) => {
    heartbeats = undefined;
    events.joined(memberAssignment[topic] ?? []);
  });
  consumer.on(consumer.events.HEARTBEAT, () => {
    if (heartbeats === undefined) return;
    heartbeats++;
    if (heartbeats > FEW_HEARTBEATS) {
      events.crashed(new Error('the group has not told it its partitions'));
    }
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
 * surely still has its partitions. kafkajs does not emit its rebalancing event for every rebalance.
 */
function roundRobin(joining: () => void): PartitionAssigner {
  return (config) => {
    const assigner = kafkajs.PartitionAssigners.roundRobin(config);
    return {
      ...assigner,
      protocol: (subscription) => {
        joining();
        return assigner.protocol(subscription);
      },
    };
  };
}
