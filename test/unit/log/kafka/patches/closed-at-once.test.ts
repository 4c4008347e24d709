import { once } from 'node:events';
import type { AddressInfo, Server } from 'node:net';
import { afterEach, expect, test } from '@jest/globals';
import kafkajs from 'kafkajs';

import { mendClosedAtOnce } from '../../../../../src/log/kafka/patches/closed-at-once.js';
import { createSocket } from '../../../../../src/log/kafka/patches/sockets.js';
import { startServer } from './loopback.js';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

const addressOf = (server: Server): string => {
  servers.push(server);
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
};

test('when the first broker closes the connection at once, the next one is asked', async () => {
  mendClosedAtOnce();
  const first = await startServer((socket) => socket.once('data', () => socket.destroy()));
  const second = await startServer((socket) => socket.once('data', () => socket.destroy()));
  const admin = new kafkajs.Kafka({
    brokers: [addressOf(first), addressOf(second)],
    socketFactory: createSocket,
    logLevel: kafkajs.logLevel.NOTHING,
    retry: { retries: 1, initialRetryTime: 10 },
  }).admin();
  const asked = once(second, 'connection');
  await expect(admin.connect()).rejects.toThrow('Closed connection');
  await asked;
});
