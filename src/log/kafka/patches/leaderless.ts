import kafkajs from 'kafkajs';
import BrokerPool from 'kafkajs/src/cluster/brokerPool.js';
import type Broker from 'kafkajs/src/broker/index.js';
import OffsetManager from 'kafkajs/src/consumer/offsetManager/index.js';
import metadata from 'kafkajs/src/protocol/requests/metadata/v6/response.js';
import { sleep } from '../../../domain/retry.js';

/** Its declared constructor lacks an argument that it needs. */
const NotFoundError = kafkajs.KafkaJSBrokerNotFound as new (message: string) => Error;
/** The leader of a partition that has none, or none with a listener for clients. */
const NO_LEADER = -1;
/** How old metadata with such a partition may become. */
const LEADERLESS_MS = 500;

/**
 * Fixes kafkajs 2.2.4 in this process: one partition without a leader, of any topic that a client
 * uses, makes kafkajs throw the metadata of all of them away. The client then knows of no other
 * leader that has changed. Here only requests that need that partition fail, a group reads the
 * others, and the brokers are soon asked again.
 */
export function mendLeaderless(): void {
  const { decode } = metadata;
  metadata.decode = async (bytes) => {
    const answer = await decode(bytes);
    for (const { partitionMetadata } of answer.topicMetadata) {
      for (const partition of partitionMetadata) {
        if (partition.leader === NO_LEADER) partition.partitionErrorCode = 0;
      }
    }
    return answer;
  };
  const { refreshMetadata, findBroker } = BrokerPool.prototype;
  BrokerPool.prototype.refreshMetadata = async function (
    this: BrokerPool,
    topics: readonly string[],
  ): Promise<void> {
    await refreshMetadata.call(this, topics);
    const isLeaderless = this.metadata?.topicMetadata.some(({ partitionMetadata }) =>
      partitionMetadata.some(({ leader }) => leader === NO_LEADER),
    );
    if (isLeaderless !== true || this.metadataExpireAt === null) return;
    this.metadataExpireAt = Math.min(this.metadataExpireAt, Date.now() + LEADERLESS_MS);
  };
  BrokerPool.prototype.findBroker = async function (this: BrokerPool, broker): Promise<Broker> {
    if (Number(broker.nodeId) !== NO_LEADER) return findBroker.call(this, broker);
    throw new NotFoundError('a partition has no leader that clients can reach');
  };
  const { resolveOffsets } = OffsetManager.prototype;
  OffsetManager.prototype.resolveOffsets = async function (this: OffsetManager): Promise<void> {
    const { cluster, memberAssignment } = this;
    const led = Object.entries(memberAssignment).map(([topic, partitions]) => {
      const leaderless = cluster.findLeaderForPartitions(topic, [...partitions])[NO_LEADER];
      return [topic, partitions.filter((each) => leaderless?.includes(each) !== true)] as const;
    });
    // kafkajs reads it before its first await, and asks again when the others have a leader.
    this.memberAssignment = Object.fromEntries(led);
    const resolved = resolveOffsets.call(this);
    this.memberAssignment = memberAssignment;
    try {
      await resolved;
    } catch (error) {
      // kafkajs asks again without a pause.
      if ((error as Error).name === 'KafkaJSBrokerNotFound') await sleep(LEADERLESS_MS);
      throw error;
    }
  };
}
