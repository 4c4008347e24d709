import { afterEach, expect, it } from '@jest/globals';

import type { LogRecord } from '../../../src/log/upload-log.js';
import type { KafkaCluster } from '../../support/kafka/kafka-cluster.js';
import type { KafkaLogs } from '../../support/kafka/kafka.js';
import { record } from '../../support/log/log-folders.js';
import { IS_SOAK } from '../../support/service/soak.js';
import { Collector, texts } from '../collector.js';
import { SteadyAppends } from '../steady-appends.js';
import { succeeds, until } from '../../support/until.js';
import { Worker } from '../worker.js';

/** How often each partition changes its leader under load. */
const MOVES = IS_SOAK ? 2 : 1;

export function followsLeaders(cluster: () => KafkaCluster, logs: KafkaLogs): void {
  afterEach(() => {
    for (const { proxy } of cluster().nodes) proxy.fetchDelayMs = 0;
  });
  const uploads = (): string => `${logs.prefix}uploads`;

  it('an answer that was on its way when the group was joined anew moves nothing on', async () => {
    const options = { partitions: 2, replicationFactor: 3, compression: 'none' } as const;
    // The held answer must not count as missing.
    const log = await logs.open({ ...options, timeoutMs: 30_000 });
    const leader = await cluster().leader(uploads(), 1);
    if ((await cluster().leader(uploads(), 0)) === leader) {
      await cluster().moveLeader(uploads(), 0);
    }
    const append = (...names: string[]): Promise<unknown> =>
      log.append(
        'uploads',
        names.map((name) => record(name, { partition: 1 })),
      );
    const collector = new Collector();
    await log.consume('uploads', 'ingest', collector);
    await append('a', 'b', 'c');
    await until(() => collector.seen.length === 3);

    const held = cluster().node(leader).proxy.holdFetch(Buffer.from('on its way'));
    await append('on its way');
    await held.arrived;
    const moving = cluster().moveLeader(uploads(), 0);
    await until(() => collector.events.filter((event) => event === '+1@0').length > 1);
    // Until every broker knows the new leader, the group may be joined once more.
    await moving;
    const begun = collector.seen.length;
    held.release();
    await append('after');
    await until(() => texts(collector.seen).includes('after'));
    expect(texts(collector.seen.slice(begun))).toEqual(['a', 'b', 'c', 'on its way', 'after']);
  });

  it('appends go on when another leads what a broker led that takes connections and is silent', async () => {
    const options = { partitions: 1, replicationFactor: 3, timeoutMs: 4_000 };
    await logs.open(options);
    const leader = await cluster().leader(uploads(), 0);
    // The client knows this broker only.
    const brokers = [`127.0.0.1:${cluster().node(leader).proxy.port}`];
    const log = await logs.open({ ...options, brokers });
    await until(() => succeeds(log.append('uploads', [record('before')])));
    cluster().node(leader).signal('SIGSTOP');
    try {
      await until(() => succeeds(log.append('uploads', [record('during')])));
      expect(await cluster().leader(uploads(), 0)).not.toBe(leader);
    } finally {
      cluster().node(leader).signal('SIGCONT');
      await cluster().inSync([uploads()]);
    }
  });

  it('partitions without a leader hold up only what needs them', async () => {
    const log = await logs.open({ partitions: 2, replicationFactor: 3, timeoutMs: 10_000 });
    const [only] = cluster().nodes;
    const [collector, another] = [new Collector(), new Collector()];
    const consumption = await log.consume('uploads', 'ingest', collector);
    await log.append(
      'uploads',
      [0, 1].map((partition) => record('before', { partition })),
    );
    await until(() => collector.seen.length === 2);
    await Promise.all([0, 1].map((partition) => consumption.commit(partition, 1)));

    for (const topic of ['claims', 'uploads']) {
      await cluster().assign(logs.prefix + topic, 0, [only!.id]);
    }
    await only!.kill('SIGTERM');
    try {
      await until(() => succeeds(log.endOffsets('status')));
      await expect(log.endOffsets('claims')).rejects.toThrow('no leader');
      expect(new Set(await log.committedOffsets('claims', 'none'))).toEqual(new Set([0]));
      await expect(log.rewind('claims', 'none', [0])).rejects.toThrow('no leader');
      const held = log.append('uploads', [record('held up', { partition: 0 })]);
      held.catch(() => undefined);
      await log.append('uploads', [record('during', { partition: 1 })]);
      await until(() => texts(collector.seen).includes('during'));
      // Has committed nothing: where it begins is looked up.
      await log.consume('uploads', 'another', another);
      await until(() => texts(another.seen).includes('during'));
      const read: LogRecord[] = [];
      for await (const records of log.read('uploads', 1, 0, Infinity)) read.push(...records);
      expect(texts(read)).toEqual(['before', 'during']);
      const tailed: LogRecord[] = [];
      const tail = await log.tail('uploads', [0, 0], (records) => tailed.push(...records));
      await tail.reached([0, 2], 60_000);
      expect(texts(tailed)).toEqual(['before', 'during']);
      await expect(held).rejects.toThrow('did not acknowledge');
    } finally {
      await only!.restart();
    }
    // And when there is one again, it is found.
    await until(() => succeeds(log.endOffsets('claims')));
    await until(() => succeeds(log.append('uploads', [record('after', { partition: 0 })])));
    await until(() => texts(collector.seen).includes('after'));
    await until(() => texts(another.seen).includes('after'));
  });

  it('a group and a tail under load read every record, and the group commits it', async () => {
    const partitions = 4;
    const options = { partitions, replicationFactor: 3 };
    const producer = await logs.open(options);
    const workers = await Promise.all(
      [3, 40].map(async (workMs) => Worker.start(await logs.open(options), workMs)),
    );
    const tailed: LogRecord[] = [];
    const tail = await producer.tail('uploads', [], (records) => tailed.push(...records));
    for (const { id, proxy } of cluster().nodes) proxy.fetchDelayMs = 60 * id;
    const appends = new SteadyAppends(producer, partitions);
    const seen = (): Set<string> => new Set(workers.flatMap((worker) => texts(worker.seen)));
    try {
      await until(() => seen().size > 100);
      for (let move = 0; move < MOVES * partitions; move++) {
        await cluster().moveLeader(uploads(), move % partitions);
      }
      await appends.stop();
      await until(() => seen().size === appends.count);
    } catch (error) {
      const events = workers.map((worker) => worker.events.join(' ')).join(' | ');
      throw new Error(`${String(error)}; ${seen().size} of ${appends.count} seen; ${events}`, {
        cause: error,
      });
    } finally {
      appends.stop().catch(() => undefined);
    }
    expect(workers.flatMap(({ faults }) => faults)).toEqual([]);
    const ends = await producer.endOffsets('uploads');
    await tail.reached(ends, 20_000);
    for (const [partition, end] of ends.entries()) {
      const own = tailed.filter((each) => each.partition === partition);
      expect(own.map(({ offset }) => offset)).toEqual([...Array(end).keys()]);
    }
    await until(async () => {
      const committed = await producer.committedOffsets('uploads', 'ingest');
      return String(committed) === String(ends);
    });
  });
}
