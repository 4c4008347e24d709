import BrokerPool from 'kafkajs/src/cluster/brokerPool.js';
import Broker from 'kafkajs/src/broker/index.js';

/**
 * Fixes kafkajs 2.2.4 in this process, for clients that lose several brokers at once and then ask
 * for the metadata several times at once. kafkajs could take the connection to one broker for that
 * to another. It then sent requests without records, took the empty answers for success, and never
 * asked for the leaders again. It also used a broker whose connection was open before it knew what
 * the broker understands.
 */
export function mendBrokers(): void {
  const { refreshMetadata, findConnectedBroker, removeBroker } = BrokerPool.prototype;
  BrokerPool.prototype.refreshMetadata = async function (
    this: BrokerPool,
    topics: readonly string[],
  ): Promise<void> {
    try {
      await refreshMetadata.call(this, topics);
    } finally {
      identify(this);
    }
  };
  BrokerPool.prototype.findConnectedBroker = async function (this: BrokerPool): Promise<Broker> {
    const broker = await findConnectedBroker.call(this);
    // Meanwhile it may have been replaced by one that is not connected yet.
    await this.connectBroker(broker);
    return broker;
  };
  BrokerPool.prototype.removeBroker = function (this: BrokerPool, place): void {
    const { seedBroker } = this;
    removeBroker.call(this, place);
    // kafkajs relies on there being one, but forgets the last.
    this.seedBroker ??= seedBroker;
  };
  const { isConnected } = Broker.prototype;
  Broker.prototype.isConnected = function (this: Broker): boolean {
    return this.lookupRequest.name !== 'notInitializedLookup' && isConnected.call(this);
  };
}

/** Makes each broker of the pool the one that the metadata names. */
function identify(pool: BrokerPool): void {
  for (const { nodeId, host, port } of pool.metadata?.brokers ?? []) {
    const broker = pool.brokers[nodeId];
    if (broker === undefined) continue;
    const { connectionPool } = broker;
    if (connectionPool.host === host && connectionPool.port === port) {
      broker.nodeId = nodeId;
    } else {
      Reflect.deleteProperty(pool.brokers, nodeId);
      // The next request asks for the metadata first.
      pool.metadataExpireAt = null;
    }
  }
}
