import BrokerPool from 'kafkajs/src/cluster/brokerPool.js';
import metadata from 'kafkajs/src/protocol/requests/metadata/v6/response.js';

/** The leader of a partition that has none. */
const NO_LEADER = -1;
/** How old metadata with such a partition may become. */
const LEADERLESS_MS = 500;

/**
 * Fixes kafkajs 2.2.4 in this process: one partition without a leader, of any topic that a client
 * uses, makes kafkajs throw the metadata of all of them away. The client then knows of no other
 * leader that has changed. Here only requests for that partition fail, and the brokers are soon
 * asked again.
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
  const { refreshMetadata } = BrokerPool.prototype;
  BrokerPool.prototype.refreshMetadata = async function (
    this: BrokerPool,
    topics: readonly string[],
  ): Promise<void> {
    await refreshMetadata.call(this, topics);
    const isLeaderless = this.metadata?.topicMetadata.some(({ partitionMetadata }) =>
      partitionMetadata.some(({ leader }) => leader === NO_LEADER),
    );
    if (isLeaderless === true) this.metadataExpireAt = Date.now() + LEADERLESS_MS;
  };
}
