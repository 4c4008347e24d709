import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { ITopicConfig } from 'kafkajs';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';

import { KafkaLog } from '../../src/log/kafka/kafka-log.js';
import { ConfigError } from '../../src/config/config.js';
import { type LogRecord, TOPICS } from '../../src/log/upload-log.js';
import { describeWithBroker } from '../support/kafka/describe-with-broker.js';
import { KafkaLogs, sharedBrokers } from '../support/kafka/kafka.js';
import { until } from '../support/until.js';
import { record } from '../support/log/log-folders.js';
import { describeTopics } from './described-topics.js';

const RIGHT = {
  'cleanup.policy': 'delete',
  'max.message.bytes': '2097152',
  'message.timestamp.type': 'LogAppendTime',
  'retention.bytes': '-1',
  'retention.ms': '3600000',
  'unclean.leader.election.enable': 'false',
};

describeWithBroker('the topics', () => {
  let brokers: string[] = [];
  beforeAll(async () => {
    brokers = await sharedBrokers();
  });
  const logs = new KafkaLogs(() => brokers);
  afterEach(() => logs.cleanUp());

  function create(settings: Readonly<Record<string, string>>): Promise<boolean> {
    const configEntries = Object.entries(settings).map(([name, value]) => ({ name, value }));
    const topic: ITopicConfig = { topic: `${logs.prefix}uploads`, numPartitions: 3, configEntries };
    return logs.admin((admin) => admin.createTopics({ topics: [topic] }));
  }

  it('are made with what the log needs, when they are missing', async () => {
    const log = await logs.open({ partitions: 5 });
    expect(TOPICS.map((topic) => log.partitions(topic))).toEqual([5, 4, 1, 1, 1]);
    for (const { replicas, settings } of await logs.admin((a) => describeTopics(a, logs.prefix))) {
      expect(replicas).toBe(1);
      expect(settings).toMatchObject({
        ...RIGHT,
        'min.insync.replicas': '1',
        'segment.ms': '86400000',
      });
    }
  });

  it('with one replica are warned of, once', async () => {
    const lines: string[] = [];
    const logger = pino({ level: 'warn' }, { write: (line: string) => lines.push(line) });
    const log = await logs.open({ logger });
    await log.append('uploads', [record('a')]);
    expect(lines.filter((line) => line.includes('replica'))).toEqual([
      expect.stringContaining('the topics have one replica'),
    ]);
  });

  it('are left as they are when they do, whatever process came first', async () => {
    await create({ ...RIGHT, 'retention.ms': '-1', 'max.message.bytes': '5000000' });
    const both = await Promise.all([logs.open({ partitions: 1 }), logs.open({ partitions: 1 })]);
    expect(both.map((log) => log.partitions('uploads'))).toEqual([3, 3]);
  });

  it.each([
    ['max.message.bytes', '1048588', 'at least 2097152'],
    ['cleanup.policy', 'compact', 'delete'],
    ['cleanup.policy', 'compact,delete', 'delete'],
    ['message.timestamp.type', 'CreateTime', 'LogAppendTime'],
    ['retention.ms', '3599999', 'at least 3600000 (LOG_RETENTION_HOURS)'],
    ['retention.bytes', '1000000000', '-1 (no limit)'],
    ['unclean.leader.election.enable', 'true', 'false'],
  ])('are refused with %s %s', async (setting, value, needed) => {
    await create({ ...RIGHT, [setting]: value });
    const message = `topic ${logs.prefix}uploads: ${setting} is ${value}, but it has to be ${needed}`;
    await expect(logs.open()).rejects.toThrow(new ConfigError(message));
  });

  it('cannot be made with more replicas than there are brokers', async () => {
    await expect(logs.open({ replicationFactor: 50 })).rejects.toThrow(
      /^KAFKA_REPLICATION_FACTOR: /,
    );
  });

  it('are made with the brokers’ own number of replicas when none is asked for', async () => {
    await logs.open({ replicationFactor: undefined });
    const topics = await logs.admin((admin) => describeTopics(admin, logs.prefix));
    expect(topics.map(({ replicas }) => replicas)).toEqual(TOPICS.map(() => 1));
  });

  it.each(['lz4', 'gzip', 'none'] as const)(
    'take records compressed by %s',
    async (compression) => {
      const log = await logs.open({ compression });
      const value = Buffer.from('2026-02-01,news,EUR,one,1,1,1\n'.repeat(10_000));
      await log.append('uploads', [record(value), record('small')]);
      const read: LogRecord[] = [];
      for await (const batch of log.read('uploads', 0, 0, 2)) read.push(...batch);
      expect(read.map((each) => each.value.toString())).toEqual([value.toString(), 'small']);
    },
  );

  it('refuse a record that no broker would take, and no other with it', async () => {
    const log = await logs.open();
    const large = log.append('uploads', [record(Buffer.alloc(2_100_000))]);
    const small = log.append('uploads', [record('small')]);
    await expect(large).rejects.toThrow(RangeError);
    await small;
  });
});

describe('brokers whose name nobody knows', () => {
  const logs = new KafkaLogs(() => ['no-such-host.invalid:9092']);

  it('are waited for: a name disappears with its container', async () => {
    const lines: string[] = [];
    const logger = pino({}, { write: (line: string) => lines.push(line) });
    const log = new KafkaLog(logs.options({ logger }));
    const stopping = new AbortController();
    const ready = log.ready(stopping.signal);
    const opened = ready.then(
      () => 'open',
      () => 'refused',
    );
    await until(() => lines.join('').includes('waiting for the brokers of KAFKA_BROKERS'));
    expect(lines.join('')).toMatch(/no-such-host\.invalid/);
    expect(await Promise.race([opened, sleep(1_000).then(() => 'waiting')])).toBe('waiting');
    stopping.abort(new Error('stopped'));
    await expect(ready).rejects.toThrow('stopped');
    await log.close();
  });
});
