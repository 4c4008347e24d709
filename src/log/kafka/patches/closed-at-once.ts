import kafkajs from 'kafkajs';
import Broker from 'kafkajs/src/broker/index.js';

/**
 * Fixes kafkajs 2.2.4 in this process: when the first broker of the list takes a connection and
 * closes it at once, kafkajs asks it again and again, and never the others. A load balancer without
 * its broker does that. Here it is as good as a broker that refuses the connection.
 */
export function mendClosedAtOnce(): void {
  const { connect } = Broker.prototype;
  Broker.prototype.connect = async function (this: Broker): Promise<void> {
    try {
      await connect.call(this);
    } catch (error) {
      const { name, message } = error as Error;
      if (name !== 'KafkaJSConnectionClosedError') throw error;
      const { host, port } = this.connectionPool;
      throw new kafkajs.KafkaJSConnectionError(message, { broker: `${host}:${port}` });
    }
  };
}
