import { once } from 'node:events';
import type { Server } from 'node:net';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import type Connection from 'kafkajs/src/network/connection.js';

import { connectionTo, startServer } from './loopback.js';

let server: Server;
let connection: Connection;
beforeEach(async () => {
  server = await startServer((socket) => socket.resume());
  connection = connectionTo(server);
});
afterEach(() => {
  server.close();
});

test('a closed socket remembers nothing, however often kafkajs disconnects', async () => {
  await once(server.close(), 'close');
  await expect(connection.connect()).rejects.toThrow('Connection error');
  const socket = connection.socket!;
  const before = socket.listenerCount('connect');
  for (let i = 0; i < 20; i++) await connection.disconnect();
  expect(connection.socket).toBe(socket);
  expect(socket.listenerCount('connect')).toBe(before);
});

test('an open socket no longer keeps the process alive after unref', async () => {
  await connection.connect();
  const socket = connection.socket as unknown as {
    readonly _handle: { hasRef(): boolean };
    unref(): void;
  };
  expect(socket._handle.hasRef()).toBe(true);
  socket.unref();
  expect(socket._handle.hasRef()).toBe(false);
  await connection.disconnect();
});
