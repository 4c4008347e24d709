import kafkajs from 'kafkajs';
import Connection from 'kafkajs/src/network/connection.js';

/** How long a silent broker is not connected to. */
const AVOIDED_MS = 5_000;

/** By address: until when, by performance.now(). */
const avoided = new Map<string, number>();
/** When the broker last answered a request, be it with an error, by performance.now(). */
const answered = new WeakMap<Connection, number>();

/**
 * Fixes kafkajs 2.2.4 in this process: a request without an answer leaves its connection as it
 * is, and clients ask connected brokers for the leaders, the first one first. So one that hangs is
 * asked again and again, even when another broker leads by then. Here the first unanswered request
 * ends its connection, and for a while there is no other. A broker that has answered another request
 * since is not silent: it answers one after the other, and may wait for its replicas.
 */
export function mendSilence(): void {
  const { connect, send } = Connection.prototype;
  Connection.prototype.send = async function (this: Connection, request): Promise<unknown> {
    const { socket } = this;
    const from = performance.now();
    try {
      const answer = await send.call(this, request);
      answered.set(this, performance.now());
      return answer;
    } catch (error) {
      if (error instanceof kafkajs.KafkaJSProtocolError) answered.set(this, performance.now());
      const isSilent = (answered.get(this) ?? -Infinity) < from;
      if (isSilent && (error as Error).name === 'KafkaJSRequestTimeoutError') {
        avoided.set(addressOf(this), performance.now() + AVOIDED_MS);
        socket?.destroy(new Error('the broker is silent'));
      }
      throw error;
    }
  };
  Connection.prototype.connect = async function (this: Connection): Promise<true> {
    const broker = addressOf(this);
    if (performance.now() < (avoided.get(broker) ?? 0)) {
      throw new kafkajs.KafkaJSConnectionError('the broker was silent', { broker });
    }
    avoided.delete(broker);
    return connect.call(this);
  };
}

const addressOf = ({ host, port }: Connection): string => `${host}:${port}`;
