import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import Connection, { type Request } from 'kafkajs/src/network/connection.js';
import Encoder from 'kafkajs/src/protocol/encoder.js';

import { createSocket } from '../../../../../src/log/kafka/patches/sockets.js';

export const silent = (): void => undefined;
/** A logger of kafkajs that writes nothing. */
export const logger = {
  namespace: () => logger,
  debug: silent,
  info: silent,
  warn: silent,
  error: silent,
};

/** Starts a server on loopback that hands each of its sockets to `take`. */
export async function startServer(take: (socket: Socket) => void): Promise<Server> {
  const server = createServer((socket) => {
    take(socket.on('error', silent));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return server;
}

/** Returns a connection of kafkajs to the server; it is not open yet. */
export function connectionTo(server: Server, requestTimeout = 3_000): Connection {
  const { port } = server.address() as AddressInfo;
  return new Connection({
    host: '127.0.0.1',
    port,
    logger,
    socketFactory: createSocket,
    connectionTimeout: 3_000,
    requestTimeout,
  });
}

/** Returns what kafkajs sends. The answer asks for a pause of `pauseMs` before the next request. */
export function requestOf(pauseMs = 0): Request {
  return {
    request: {
      apiKey: 3,
      apiVersion: 0,
      apiName: 'Metadata',
      encode: () => Promise.resolve(new Encoder()),
    },
    response: {
      decode: () => Promise.resolve({ clientSideThrottleTime: pauseMs }),
      parse: () => Promise.resolve('answered'),
    },
  };
}

/** Answers each request that arrives on the socket. */
export function answerAll(socket: Socket): void {
  socket.on('data', (request: Buffer) => {
    answer(socket, request);
  });
}

/** Answers a request, with nothing but the request's number. */
export function answer(socket: Socket, request: Buffer): void {
  const bytes = Buffer.alloc(8);
  bytes.writeInt32BE(4);
  request.copy(bytes, 4, 8, 12);
  socket.write(bytes);
}
