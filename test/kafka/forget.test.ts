import { afterEach, beforeAll, expect, it } from '@jest/globals';

import type { LogRecord, Topic, UploadLog } from '../../src/log/upload-log.js';
import { describeWithKafka, KafkaLogs, sharedBrokers } from '../helpers/kafka.js';
import { record } from '../helpers/log/log-folders.js';
import { Collector, texts, until } from './collector.js';

const isEven = ({ value }: LogRecord): boolean => Number(value.toString()) % 2 === 0;

describeWithKafka('records that are to be forgotten', () => {
  let brokers: string[];
  beforeAll(async () => {
    brokers = await sharedBrokers();
  });
  const logs = new KafkaLogs(() => brokers);
  afterEach(() => logs.cleanUp());

  async function logOf(topic: Topic, partitions: number, each: number): Promise<UploadLog> {
    const log = await logs.open({ partitions });
    for (let partition = 0; partition < partitions; partition++) {
      const records = Array.from({ length: each }, (_, i) => record(`${i}`, { partition }));
      await log.append(topic, records);
    }
    return log;
  }

  async function kept(log: UploadLog, topic: Topic, partition = 0): Promise<string[]> {
    const all: LogRecord[] = [];
    for await (const records of log.read(topic, partition, 0, Infinity)) all.push(...records);
    return texts(all);
  }

  it('go with all before them, as far as the group has committed, and the rest is told', async () => {
    const log = await logOf('uploads', 1, 6);
    const forgetting = { matches: isEven, group: 'ingest' };
    // Nobody has begun to consume.
    expect(await log.forget('uploads', forgetting)).toBe(3);
    expect(await kept(log, 'uploads')).toHaveLength(6);

    const collector = new Collector();
    const consumption = await log.consume('uploads', 'ingest', collector);
    await until(() => collector.seen.length === 6);
    await consumption.commit(0, 4);
    expect(await log.forget('uploads', forgetting)).toBe(1);
    expect(await kept(log, 'uploads')).toEqual(['3', '4', '5']);
    await consumption.commit(0, 6);
    expect(await log.forget('uploads', forgetting)).toBe(0);
    expect(await kept(log, 'uploads')).toEqual(['5']);
    const [position] = await log.append('uploads', [record('6')]);
    expect(position!.offset).toBe(6);
    await until(() => texts(collector.seen).at(-1) === '6');
  });

  it('leave partitions alone where none is; what is still needed can be carried over', async () => {
    const log = await logOf('uploads', 2, 3);
    const carried: number[][] = [];
    const left = await log.forget('uploads', {
      matches: ({ partition, offset }) => partition === 1 && offset === 1,
      group: undefined,
      async carryOver(partition, before) {
        carried.push([partition, before]);
        // They are there until then.
        expect(await kept(log, 'uploads', 1)).toEqual(['0', '1', '2']);
        await log.append('uploads', [record('0', { partition })]);
      },
    });
    expect([left, carried]).toEqual([0, [[1, 2]]]);
    expect(await kept(log, 'uploads', 0)).toEqual(['0', '1', '2']);
    expect(await kept(log, 'uploads', 1)).toEqual(['2', '0']);
  });

  it('stay when the group is rewound while they are looked for', async () => {
    const log = await logOf('uploads', 1, 3);
    await log.rewind('uploads', 'ingest', [3]);
    const left = await log.forget('uploads', {
      matches: isEven,
      group: 'ingest',
      carryOver: () => log.rewind('uploads', 'ingest', [1]),
    });
    expect(left).toBeGreaterThan(0);
    expect(await kept(log, 'uploads')).toEqual(['0', '1', '2']);
  });

  it('let whoever reads go on behind them, and a partition may be left empty', async () => {
    const log = await logOf('uploads', 1, 3);
    const first = new Collector();
    const consumption = await log.consume('uploads', 'ingest', first);
    await until(() => first.seen.length === 3);
    await consumption.commit(0, 3);
    await log.forget('uploads', { matches: () => true, group: 'ingest' });
    expect(await log.committedOffsets('uploads', 'ingest')).toEqual([3]);
    const seen: LogRecord[] = [];
    const tail = await log.tail('uploads', [2], (records) => seen.push(...records));
    await tail.reached(await log.endOffsets('uploads'), 20_000);
    await log.append('uploads', [record('3')]);
    await tail.reached([4], 20_000);
    expect(texts(seen)).toEqual(['3']);
    const late = new Collector();
    await log.consume('uploads', 'new', late);
    await until(() => late.seen.length === 1);
    expect(late.seen[0]!.offset).toBe(3);
  });
});
