import { expect, test } from '@jest/globals';
import Connection from 'kafkajs/src/network/connection.js';

import { createClient } from '../../../../src/log/kafka/client.js';
import { createLogger } from '../../../../src/ops/logger.js';

function create(): void {
  const connection = { brokers: ['localhost:9092'], tls: undefined, sasl: undefined };
  createClient(connection, 1_000, createLogger('silent'));
}

test('kafkajs is mended with the first client, and not again', () => {
  const { connect, send } = Connection.prototype;
  create();
  const mended = { connect: Connection.prototype.connect, send: Connection.prototype.send };
  expect(mended.connect).not.toBe(connect);
  expect(mended.send).not.toBe(send);
  create();
  expect(Connection.prototype.connect).toBe(mended.connect);
  expect(Connection.prototype.send).toBe(mended.send);
});
