import { createServer, type Server, type Socket } from 'node:net';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import type Connection from 'kafkajs/src/network/connection.js';
import Encoder from 'kafkajs/src/protocol/encoder.js';

import { mendConnecting } from '../../../../../src/log/kafka/patches/connect-once.js';
import { mendCutAnswers } from '../../../../../src/log/kafka/patches/cut-answers.js';
import { mendEnding } from '../../../../../src/log/kafka/patches/ended-connections.js';
import { until } from '../../../../support/until.js';
import { answer, answerAll, connectionTo, requestOf } from './loopback.js';

mendCutAnswers();
mendEnding();
mendConnecting();

const REQUEST_MS = 300;
/** A request has failed by then. */
const LATE_MS = 2_000;

let server: Server;
let connection: Connection;
/** The server's ends of the connections, in their order. It keeps them open. */
let sockets: Socket[];
beforeEach(async () => {
  sockets = [];
  server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.push(socket.on('error', () => undefined).resume());
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  connection = connectionTo(server, REQUEST_MS);
});
afterEach(() => {
  connection.socket?.destroy();
  for (const socket of sockets) socket.destroy();
  server.close();
});

/** Makes two connections. The server has not ended the first one. */
async function connectTwice(): Promise<void> {
  await connection.connect();
  await connection.disconnect();
  await connection.connect();
  await until(() => sockets.length === 2);
}

/** What becomes of the answer in time. */
function fateOf(answer: Promise<unknown>): Promise<string> {
  return Promise.race([
    answer.then(
      () => 'answered',
      () => 'failed',
    ),
    sleep(LATE_MS, 'waits'),
  ]);
}

test.each(['is kept open', 'is closed'])(
  'a request that is sent while the connection is ended fails when the socket %s',
  async (what) => {
    await connection.connect();
    await until(() => sockets.length === 1);
    if (what === 'is closed') sockets[0]!.on('end', () => sockets[0]!.end());
    const request = requestOf();
    let encoded: (encoder: Encoder) => void = () => undefined;
    const encoding = new Promise<Encoder>((resolve) => (encoded = resolve));
    Object.assign(request.request, { encode: () => encoding });
    const fate = fateOf(connection.send(request));
    await sleep(10);
    encoded(new Encoder());
    await Promise.resolve();
    // kafkajs has seen that no request waits when this one is sent, and does not look again.
    void connection.disconnect();
    expect(await fate).toBe('failed');
    expect(connection.isConnected()).toBe(false);
  },
);

test('a connection whose socket was closed on this side is not taken for open', async () => {
  await connection.connect();
  connection.socket!.destroy();
  await connection.connect();
  await until(() => sockets.length === 2);
  answerAll(sockets[1]!);
  expect(await fateOf(connection.send(requestOf()))).toBe('answered');
});

test('what an earlier socket still gets is no part of an answer', async () => {
  await connectTwice();
  sockets[0]!.write(Buffer.from([0, 0, 4, 0, 1, 2]));
  await sleep(50);
  answerAll(sockets[1]!);
  expect(await fateOf(connection.send(requestOf()))).toBe('answered');
});

test('the end of an earlier socket does not end the present one', async () => {
  await connectTwice();
  sockets[0]!.destroy();
  await sleep(50);
  expect(connection.isConnected()).toBe(true);
});

test('a request on an earlier socket fails when another one replaces it, which stays', async () => {
  connection = connectionTo(server, 2 * LATE_MS);
  await connection.connect();
  await until(() => sockets.length === 1);
  const earlier = fateOf(connection.send(requestOf()));
  await once(sockets[0]!, 'data');
  connection.socket!.destroy();
  // The ended socket says so later.
  await connection.connect();
  expect(await earlier).toBe('failed');
  await until(() => sockets.length === 2);
  answerAll(sockets[1]!);
  expect(await fateOf(connection.send(requestOf()))).toBe('answered');
});

test('a connection that waits for its requests to end does not end the next socket', async () => {
  await connection.connect();
  await until(() => sockets.length === 1);
  const earlier = fateOf(connection.send(requestOf()));
  await once(sockets[0]!, 'data');
  // It waits for the request.
  const ending = connection.disconnect();
  connection.socket!.destroy();
  await connection.connect();
  await ending;
  expect(await earlier).toBe('failed');
  await sleep(50);
  expect(connection.isConnected()).toBe(true);
  await until(() => sockets.length === 2);
  answerAll(sockets[1]!);
  expect(await fateOf(connection.send(requestOf()))).toBe('answered');
});

test('a request that a broker delays has its time from when it is sent', async () => {
  connection = connectionTo(server, 1_000);
  await connection.connect();
  await until(() => sockets.length === 1);
  sockets[0]!.on('data', (request: Buffer) => {
    setTimeout(() => {
      answer(sockets[0]!, request);
    }, 500);
  });
  expect(await connection.send(requestOf(1_800))).toBe('answered');
  expect(await connection.send(requestOf())).toBe('answered');
});
