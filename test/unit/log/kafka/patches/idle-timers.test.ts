import type { Server } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import type Connection from 'kafkajs/src/network/connection.js';
import RequestQueue from 'kafkajs/src/network/requestQueue/index.js';

import { mendIdleTimers } from '../../../../../src/log/kafka/patches/idle-timers.js';
import { answerAll, connectionTo, requestOf, startServer } from './loopback.js';

mendIdleTimers();

let server: Server;
let connection: Connection;
beforeEach(async () => {
  server = await startServer(answerAll);
  connection = connectionTo(server);
  await connection.connect();
});
afterEach(async () => {
  jest.restoreAllMocks();
  await connection.disconnect();
  server.close();
});

test('a connection on which nothing waits looks for waiting requests after an answer only', async () => {
  const looks = jest.spyOn(RequestQueue.prototype, 'checkPendingRequests');
  await connection.send(requestOf());
  await sleep(200);
  // kafkajs alone looks more than a hundred times.
  expect(looks).toHaveBeenCalledTimes(1);
});

test('a request that waits because the broker asked for a pause is sent after it', async () => {
  const from = performance.now();
  await connection.send(requestOf(300));
  expect(await connection.send(requestOf())).toBe('answered');
  expect(performance.now() - from).toBeGreaterThan(200);
});
