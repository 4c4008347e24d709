import { setImmediate } from 'node:timers/promises';
import kafkajs from 'kafkajs';
import errors from 'kafkajs/src/errors.js';
import Connection from 'kafkajs/src/network/connection.js';
import { inTime } from '../../../domain/in-time.js';

/** How much longer than its time limit a request may take: kafkajs looks every 100 ms. */
const SLACK_MS = 1_000;
const LATE = Symbol('late');

/**
 * Fixes kafkajs 2.2.4 in this process: a connection can be taken for open although its socket is
 * closed, and a request can be left on it that never fails. Then a reader waits for ever. And events
 * of an earlier socket are taken for those of the present one: its last bytes for the beginning of
 * an answer, its end for the end of the connection.
 *
 * Here a connection with a closed socket is not open, the requests on it fail, a request that has
 * had no answer in time closes its socket, and a new socket replaces the earlier one for good.
 */
export function mendEnding(): void {
  const { connect, isConnected, send } = Connection.prototype;
  Connection.prototype.isConnected = function (this: Connection): boolean {
    return isConnected.call(this) && this.socket?.destroyed !== true;
  };
  Connection.prototype.connect = async function (this: Connection): Promise<true> {
    if (!this.isConnected()) await forgetSocket(this);
    const { socket: before } = this;
    const connected = connect.call(this);
    const { socket, host, port } = this;
    if (socket !== before) {
      socket?.once('close', () => {
        if (this.socket !== socket) return;
        this.rejectRequests(
          new errors.KafkaJSConnectionClosedError('Closed connection', { host, port }),
        );
      });
    }
    return connected;
  };
  Connection.prototype.send = async function (this: Connection, request): Promise<unknown> {
    const { socket } = this;
    const limitMs = Math.max(this.requestTimeout, request.requestTimeout ?? 0) + SLACK_MS;
    const answer = send.call(this, request);
    for (;;) {
      const inLimit = await inTime(answer, limitMs, () => LATE);
      if (inLimit !== LATE) return inLimit;
      // The broker may have asked for a pause: then the request was sent after it.
      if (Date.now() < this.requestQueue.throttledUntil + limitMs) continue;
      socket?.destroy();
      throw failure(this, 'Request without an answer');
    }
  };
}

/** Closes the earlier socket of a connection. What was sent over it fails. */
async function forgetSocket(connection: Connection): Promise<void> {
  const { socket } = connection;
  if (socket === undefined) return;
  socket.removeAllListeners().on('error', ignore).destroy();
  connection.connectionStatus = 'disconnected';
  connection.rejectRequests(failure(connection, 'Replaced connection'));
  // kafkajs may have waited for these requests to end the socket, which must not be the next one.
  await setImmediate();
}

const failure = ({ host, port }: Connection, why: string): Error =>
  new kafkajs.KafkaJSConnectionError(why, { broker: `${host}:${port}` });

const ignore = (): void => undefined;
