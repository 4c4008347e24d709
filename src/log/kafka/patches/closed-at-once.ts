import kafkajs from 'kafkajs';
import Broker from 'kafkajs/src/broker/index.js';

/**
 * Fixes kafkajs 2.2.4 in this process: when a broker takes a connection and closes it at once,
 * kafkajs asks it again and again, and never the others of its list. A load balancer without its
 * broker does that. A broker whose versions are known even counts as connected before it has
 * answered anything. If the brokers name no other one for a moment, as they may while a new
 * controller has not heard of them, kafkajs never finds them again.
 *
 * Here a connection begins with a question, and a broker that closes it is as good as one that
 * refuses it: kafkajs then asks the others.
 */
export function mendClosedAtOnce(): void {
  const { connect } = Broker.prototype;
  Broker.prototype.connect = async function (this: Broker): Promise<void> {
    try {
      // kafkajs asks a broker for its versions if they are not known.
      if (!this.isConnected()) this.versions = null;
      await connect.call(this);
    } catch (error) {
      const { name, message } = error as Error;
      if (name !== 'KafkaJSConnectionClosedError') throw error;
      const { host, port } = this.connectionPool;
      throw new kafkajs.KafkaJSConnectionError(message, { broker: `${host}:${port}` });
    }
  };
}
