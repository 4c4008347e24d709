import type { Server, Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import kafkajs from 'kafkajs';
import type Connection from 'kafkajs/src/network/connection.js';

import { mendSilence } from '../../../../../src/log/kafka/patches/silent-brokers.js';
import { until } from '../../../../support/until.js';
import { answer, connectionTo, requestOf, startServer } from './loopback.js';

const REQUEST_MS = 500;
/** Longer than a silent broker is avoided. */
const LATER_MS = 5_001;

mendSilence();

let server: Server;
let connection: Connection;
/** Open on the server's side. */
let sockets: Set<Socket>;
let take: (socket: Socket) => void;
beforeEach(async () => {
  const open = new Set<Socket>();
  sockets = open;
  server = await startServer((socket) => {
    open.add(socket);
    socket.on('close', () => open.delete(socket));
    take(socket);
  });
  connection = connectionTo(server, REQUEST_MS);
});
afterEach(async () => {
  jest.restoreAllMocks();
  await connection.disconnect();
  server.close();
});

test('a request without an answer ends the connection, and there is none for a while', async () => {
  take = (socket) => socket.resume();
  await connection.connect();
  await expect(connection.send(requestOf())).rejects.toThrow('timed out');
  await until(() => sockets.size === 0);
  await expect(connection.connect()).rejects.toThrow('the broker was silent');
  await expect(connectionTo(server).connect()).rejects.toThrow('the broker was silent');
  expect(sockets.size).toBe(0);

  jest.spyOn(performance, 'now').mockReturnValue(performance.now() + LATER_MS);
  await connection.connect();
  await until(() => sockets.size === 1);
  await sleep(100);
  expect(sockets.size).toBe(1);
});

test.each([undefined, new kafkajs.KafkaJSProtocolError('an error')])(
  'a broker that answers one request after the other is not silent (%s)',
  async (error) => {
    take = (socket) => {
      socket.once('data', (request: Buffer) => {
        answer(socket, request);
      });
    };
    await connection.connect();
    const answered = requestOf();
    if (error !== undefined) {
      Object.assign(answered.response, { parse: () => Promise.reject(error) });
    }
    const first = connection.send(answered);
    const second = connection.send(requestOf());
    expect(await first.catch((refusal: unknown) => refusal)).toBe(error ?? 'answered');
    await expect(second).rejects.toThrow('timed out');
    await sleep(100);
    expect(sockets.size).toBe(1);
  },
);

test('a broker that ends the connection itself is connected to again at once', async () => {
  take = (socket) => socket.once('data', () => socket.destroy());
  await connection.connect();
  await expect(connection.send(requestOf())).rejects.toThrow('Closed connection');
  await until(() => sockets.size === 0);
  await connection.connect();
  await until(() => sockets.size === 1);
  await sleep(100);
  expect(sockets.size).toBe(1);
});
