import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';

import { describeWithBroker } from '../support/kafka/describe-with-broker.js';
import { KafkaLogs } from '../support/kafka/kafka.js';
import { KafkaBroker } from '../support/kafka/kafka-broker.js';
import { KafkaProxy } from '../support/kafka/kafka-proxy.js';
import { record } from '../support/log/log-folders.js';
import { Collector, texts } from './collector.js';
import { until } from '../support/until.js';

const PARTITIONS = 6;

describeWithBroker('a member that is not told its partitions in time', () => {
  let proxy: KafkaProxy;
  let broker: KafkaBroker;
  beforeAll(async () => {
    proxy = await KafkaProxy.listen();
    broker = await KafkaBroker.start(proxy.brokerSettings);
    proxy.forwardTo(broker.port);
  });
  const logs = new KafkaLogs(() => [`127.0.0.1:${broker.port}`]);
  afterEach(() => logs.cleanUp());
  afterAll(async () => {
    await broker.stop();
    await proxy.close();
  });

  it('joins anew, and no partition stays unread', async () => {
    const producer = await logs.open({ partitions: PARTITIONS });
    const members: Collector[] = [];
    const join = async (): Promise<void> => {
      const log = await logs.open({ timeoutMs: 2_000 });
      members.push(new Collector());
      await log.consume('uploads', 'ingest', members.at(-1)!);
    };
    const haveEach = (partitions: number): boolean =>
      members.every(({ owned }) => owned.size === partitions);
    await join();
    await until(() => haveEach(PARTITIONS));
    await join();
    await until(() => haveEach(PARTITIONS / 2));

    proxy.syncsToLose = 1;
    await join();
    await until(() => proxy.syncsToLose === 0);

    const numbers = Array.from({ length: PARTITIONS }, (_, partition) => `${partition}`);
    await producer.append(
      'uploads',
      numbers.map((number) => record(number, { partition: Number(number) })),
    );
    const seen = (): string[] => members.flatMap((member) => texts(member.seen));
    await until(() => new Set(seen()).size === PARTITIONS);
    await until(() => haveEach(PARTITIONS / 3));
    expect(new Set(seen())).toEqual(new Set(numbers));
  }, 60_000);
});
