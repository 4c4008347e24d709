import type { Server, Socket } from 'node:net';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import type Connection from 'kafkajs/src/network/connection.js';

import { mendCutAnswers } from '../../../../../src/log/kafka/patches/cut-answers.js';
import { answerAll, connectionTo, requestOf, startServer } from './loopback.js';

mendCutAnswers();

let server: Server;
let connection: Connection;
let take: (socket: Socket) => void;
beforeEach(async () => {
  server = await startServer((socket) => {
    take(socket);
  });
  connection = connectionTo(server);
});
afterEach(async () => {
  await connection.disconnect();
  server.close();
});

test.each([
  ['its length', [0, 1]],
  ['its content', [0, 1, 0, 0, 1, 2, 3]],
])('after an answer that was cut off in %s, the next connection is read', async (_where, bytes) => {
  take = (socket) => socket.once('data', () => socket.end(Buffer.from(bytes)));
  await connection.connect();
  await expect(connection.send(requestOf())).rejects.toThrow('Closed connection');
  take = answerAll;
  await connection.connect();
  expect(await connection.send(requestOf())).toBe('answered');
});
