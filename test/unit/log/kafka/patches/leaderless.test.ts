import { expect, test } from '@jest/globals';
import type { Cluster } from 'kafkajs';
import Broker from 'kafkajs/src/broker/index.js';
import BrokerPool from 'kafkajs/src/cluster/brokerPool.js';
import OffsetManager from 'kafkajs/src/consumer/offsetManager/index.js';
import Encoder from 'kafkajs/src/protocol/encoder.js';
import metadata from 'kafkajs/src/protocol/requests/metadata/v6/response.js';

import { mendLeaderless } from '../../../../../src/log/kafka/patches/leaderless.js';
import { logger } from './loopback.js';

const LEADER_NOT_AVAILABLE = 5;
const TOPIC_AUTHORIZATION_FAILED = 29;
const NONE = -1;

mendLeaderless();

interface Partition {
  readonly error: number;
  readonly leader: number;
}

/** Returns an answer of version 6, as a broker sends it, with one topic. */
function answerOf(partitions: readonly Partition[], topicError = 0): Buffer {
  const answer = new Encoder();
  const ids = (...values: number[]): void => {
    answer.writeInt32(values.length);
    for (const id of values) answer.writeInt32(id);
  };
  answer.writeInt32(0).writeInt32(0).writeString('cluster').writeInt32(1);
  answer.writeInt32(1).writeInt16(topicError).writeString('uploads').writeBoolean(false);
  answer.writeInt32(partitions.length);
  for (const [partition, { error, leader }] of partitions.entries()) {
    answer.writeInt16(error).writeInt32(partition).writeInt32(leader);
    ids(1, 2);
    ids();
    ids();
  }
  return answer.buffer;
}

const read = async (answer: Buffer): Promise<unknown> =>
  metadata.parse(await metadata.decode(answer));

const healthy = { error: 0, leader: 2 };
const leaderless = { error: LEADER_NOT_AVAILABLE, leader: NONE };

test('a partition without a leader does not hide the leaders of the others', async () => {
  expect(await read(answerOf([healthy, leaderless]))).toMatchObject({
    topicMetadata: [
      {
        partitionMetadata: [
          { partitionId: 0, leader: 2 },
          { partitionId: 1, leader: NONE },
        ],
      },
    ],
  });
});

test('other errors are thrown as before', async () => {
  await expect(read(answerOf([healthy], TOPIC_AUTHORIZATION_FAILED))).rejects.toMatchObject({
    type: 'TOPIC_AUTHORIZATION_FAILED',
  });
  const led = { error: LEADER_NOT_AVAILABLE, leader: 2 };
  await expect(read(answerOf([led]))).rejects.toMatchObject({ type: 'LEADER_NOT_AVAILABLE' });
});

test('metadata with such a partition is soon read again', async () => {
  const pool = new BrokerPool({
    connectionPoolBuilder: { build: () => Promise.reject(new Error('no broker is named')) },
    logger,
    metadataMaxAge: 30_000,
  });
  pool.seedBroker = new Broker({ connectionPool: { host: 'a', port: 1 }, logger });
  const refreshed = async (...partitions: readonly Partition[]): Promise<number> => {
    const answer = (await read(answerOf(partitions))) as object;
    const broker = { metadata: () => Promise.resolve({ ...answer, brokers: [] }) };
    pool.findConnectedBroker = () => Promise.resolve(broker as unknown as Broker);
    await pool.refreshMetadata(['uploads']);
    return pool.metadataExpireAt! - Date.now();
  };
  expect(await refreshed(healthy)).toBeGreaterThan(10_000);
  expect(await refreshed(healthy, leaderless)).toBeLessThanOrEqual(500);
  expect(await refreshed(healthy)).toBeGreaterThan(10_000);
});

test('a group begins in the other partitions, and in this one once it has a leader', async () => {
  const topic = 'uploads';
  let leaders: Record<string, number[]> = { [NONE]: [0], 2: [1] };
  const asked: number[][] = [];
  const answered = (partitions: readonly { readonly partition: number }[], offset: string) => [
    { topic, partitions: partitions.map(({ partition }) => ({ partition, offset })) },
  ];
  const manager = new OffsetManager({
    cluster: {
      findLeaderForPartitions: () => leaders,
      fetchTopicsOffset: ([{ partitions }]: [{ partitions: { partition: number }[] }]) => {
        asked.push(partitions.map(({ partition }) => partition));
        return Promise.resolve(answered(partitions, '70'));
      },
    } as unknown as Cluster,
    coordinator: {
      isConnected: () => true,
      offsetFetch: ({ topics }: { topics: [{ partitions: { partition: number }[] }] }) =>
        Promise.resolve({ responses: answered(topics[0].partitions, '-1') }),
    },
    memberAssignment: { [topic]: [0, 1] },
    autoCommit: false,
    topicConfigurations: { [topic]: { fromBeginning: true } },
  });
  await manager.resolveOffsets();
  await manager.resolveOffsets();
  leaders = { 2: [0, 1] };
  await manager.resolveOffsets();
  await manager.resolveOffsets();
  expect(asked).toEqual([[1], [0]]);
  expect(manager.memberAssignment).toEqual({ [topic]: [0, 1] });
});
