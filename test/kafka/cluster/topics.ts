import { expect, it } from '@jest/globals';
import { pino } from 'pino';

import { ConfigError } from '../../../src/config/config.js';
import { LogUnavailableError } from '../../../src/log/upload-log.js';
import type { KafkaCluster } from '../../support/kafka/kafka-cluster.js';
import type { KafkaLogs } from '../../support/kafka/kafka.js';
import { record } from '../../support/log/log-folders.js';
import { until } from '../../support/until.js';
import { describeTopics } from '../described-topics.js';

const DURABLE = { 'min.insync.replicas': '2', 'unclean.leader.election.enable': 'false' };

export function hasDurableTopics(cluster: () => KafkaCluster, logs: KafkaLogs): void {
  let lines: string[] = [];
  const logger = pino({ level: 'warn' }, { write: (line: string) => lines.push(line) });

  it.each([
    [3, 3],
    [undefined, 3],
    [2, 2],
  ])(
    'asked for %p replicas have %p, two of which have what is acknowledged',
    async (asked, has) => {
      lines = [];
      await logs.open({ replicationFactor: asked, logger });
      for (const { replicas, settings } of await logs.admin((a) =>
        describeTopics(a, logs.prefix),
      )) {
        expect(replicas).toBe(has);
        expect(settings).toMatchObject({ ...DURABLE, 'segment.ms': '86400000' });
      }
      expect(lines.filter((line) => line.includes('replica'))).toHaveLength(has === 2 ? 1 : 0);
    },
  );

  it.each([
    ['min.insync.replicas', '1', 'at least 2'],
    ['unclean.leader.election.enable', 'true', 'false'],
  ])('are refused with %s %s', async (setting, value, needed) => {
    const topic = `${logs.prefix}status`;
    const configEntries = Object.entries({
      ...DURABLE,
      'max.message.bytes': '2097152',
      'message.timestamp.type': 'LogAppendTime',
      'retention.ms': '-1',
      [setting]: value,
    }).map(([name, wanted]) => ({ name, value: wanted }));
    await logs.admin((admin) => admin.createTopics({ topics: [{ topic, configEntries }] }));
    const message = `topic ${topic}: ${setting} is ${value}, but it has to be ${needed}`;
    await expect(logs.open({ replicationFactor: 3 })).rejects.toThrow(new ConfigError(message));
  });

  it('with two replicas take nothing that one of them alone would have', async () => {
    // Longer than the brokers take to notice that one of them is away.
    const log = await logs.open({ replicationFactor: 2, timeoutMs: 12_000 });
    const leader = await cluster().leader(`${logs.prefix}uploads`, 0);
    const follower = await cluster().admin(async (admin) => {
      const { topics } = await admin.fetchTopicMetadata({ topics: [`${logs.prefix}uploads`] });
      return topics[0]!.partitions[0]!.replicas.find((id) => id !== leader)!;
    });
    await log.append('uploads', [record('both')]);
    await cluster().node(follower).kill();
    try {
      await expect(log.append('uploads', [record('one')])).rejects.toThrow(LogUnavailableError);
      // Other processes still start.
      await logs.open({ replicationFactor: 2 });
    } finally {
      await cluster().node(follower).restart();
    }
    await until(() =>
      log.append('uploads', [record('both again')]).then(
        () => true,
        () => false,
      ),
    );
  });
}
