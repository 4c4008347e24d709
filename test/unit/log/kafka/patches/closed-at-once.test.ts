import { once } from 'node:events';
import type { AddressInfo, Server } from 'node:net';
import { afterEach, expect, test } from '@jest/globals';
import kafkajs from 'kafkajs';
import Broker from 'kafkajs/src/broker/index.js';
import BrokerPool from 'kafkajs/src/cluster/brokerPool.js';
import errors from 'kafkajs/src/errors.js';

import { mendClosedAtOnce } from '../../../../../src/log/kafka/patches/closed-at-once.js';
import { createSocket } from '../../../../../src/log/kafka/patches/sockets.js';
import { logger, silent, startServer } from './loopback.js';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

const addressOf = (server: Server): string => {
  servers.push(server);
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
};

mendClosedAtOnce();

test('when the first broker closes the connection at once, the next one is asked', async () => {
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

test('when the brokers have named only one that closes connections, the list is asked again', async () => {
  const connection = {
    getSupportAuthenticationProtocol: () => false,
    authenticate: () => Promise.resolve(),
  };
  const connectionsOf = (port: number, send: () => Promise<unknown>): object => ({
    host: 'broker',
    port,
    connectionTimeout: 1_000,
    isConnected: () => false,
    getConnection: () => Promise.resolve(connection),
    setVersions: silent,
    destroy: () => Promise.resolve(),
    send,
  });
  const closed = new errors.KafkaJSConnectionClosedError('closed', { host: 'broker', port: 1 });
  const closing = connectionsOf(1, () => Promise.reject(closed));
  const answering = connectionsOf(2, () => Promise.resolve({ apiVersions: [] }));
  const pool = new BrokerPool({
    connectionPoolBuilder: { build: () => Promise.resolve(answering) },
    logger,
  });
  pool.seedBroker = new Broker({ connectionPool: closing, logger, versions: {} });
  pool.brokers = { 1: pool.seedBroker };
  const { connectionPool } = await pool.findConnectedBroker();
  expect(connectionPool.port).toBe(2);
});
