import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import Connection from 'kafkajs/src/network/connection.js';

import { mendConnecting } from '../../../../../src/log/kafka/patches/connect-once.js';
import { createSocket } from '../../../../../src/log/kafka/patches/sockets.js';
import { until } from '../../../../support/until.js';
import { logger } from './loopback.js';

mendConnecting();

let server: Server;
let sockets = 0;
let connection: Connection;

beforeEach(async () => {
  sockets = 0;
  server = createServer((socket) => {
    sockets++;
    socket.on('close', () => sockets--).resume();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  connection = new Connection({
    host: '127.0.0.1',
    port,
    logger,
    socketFactory: createSocket,
    connectionTimeout: 3_000,
    requestTimeout: 3_000,
  });
});
afterEach(() => {
  server.close();
});

test('asked several times before it is there, it connects once, and leaves nothing open', async () => {
  await Promise.all([connection.connect(), connection.connect(), connection.connect()]);
  await until(() => sockets === 1);
  await sleep(100);
  expect(sockets).toBe(1);
  await connection.disconnect();
  await until(() => sockets === 0);
});

test('after it was closed, or refused, it connects again', async () => {
  await connection.connect();
  await connection.disconnect();
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  await expect(connection.connect()).rejects.toThrow('Connection error');
  await once(server.listen(port, '127.0.0.1'), 'listening');
  await connection.connect();
  await until(() => sockets === 1);
  await sleep(100);
  expect(sockets).toBe(1);
  await connection.disconnect();
});
