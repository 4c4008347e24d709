import { afterEach, beforeAll, expect, it } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';

import type { LogRecord } from '../../src/log/upload-log.js';
import { describeWithBroker } from '../support/kafka/describe-with-broker.js';
import { KafkaLogs, sharedBrokers } from '../support/kafka/kafka.js';
import { record } from '../support/log/log-folders.js';
import { Collector, texts } from './collector.js';
import { SteadyAppends } from './steady-appends.js';
import { until } from '../support/until.js';
import { Worker } from './worker.js';

const SESSION_MS = 6_000;

describeWithBroker('a consumer group', () => {
  let brokers: string[] = [];
  beforeAll(async () => {
    brokers = await sharedBrokers();
  });
  const logs = new KafkaLogs(() => brokers);
  afterEach(() => logs.cleanUp());

  /** Resolves when the group has so many members, and no rebalance is under way. */
  async function settled(members: number): Promise<void> {
    await logs.admin((admin) =>
      until(async () => {
        const { groups } = await admin.describeGroups([`${logs.prefix}ingest`]);
        const [group] = groups;
        return group?.state === 'Stable' && group.members.length === members;
      }, 50),
    );
  }

  it('shares the partitions with whoever comes and goes, losing nothing', async () => {
    const partitions = 4;
    const producer = await logs.open({ partitions });
    const [logA, logB] = [await logs.open(), await logs.open()];
    const appends = new SteadyAppends(producer, partitions);
    const a = await Worker.start(logA, 3);
    await until(() => a.owned.size === partitions && a.seen.length > 20);
    const b = await Worker.start(logB, 3);
    await until(() => a.owned.size === 2 && b.owned.size === 2 && b.seen.length > 20);
    await logA.close();
    await until(() => b.owned.size === partitions);
    await appends.stop();
    const seen = (): Set<string> => new Set([...texts(a.seen), ...texts(b.seen)]);
    await until(() => seen().size === appends.count);
    expect([...a.faults, ...b.faults]).toEqual([]);
    // Each partition was revoked before it was assigned again.
    for (const { events } of [a, b]) {
      for (let p = 0; p < partitions; p++) {
        const own = events.filter((event) => event.slice(1).startsWith(String(p)));
        own.forEach((event, i) => {
          expect(event[0]).toBe(i % 2 === 0 ? '+' : '-');
        });
      }
    }
    await until(async () => {
      const committed = await producer.committedOffsets('uploads', 'ingest');
      return String(committed) === String(await producer.endOffsets('uploads'));
    });
  });

  it('does not commit for a partition that has been taken away', async () => {
    const logA = await logs.open({ partitions: 2 });
    const logB = await logs.open();
    await logA.append('uploads', [record('a', { partition: 0 }), record('b', { partition: 1 })]);
    const a = new Collector();
    const consumption = await logA.consume('uploads', 'ingest', a);
    await until(() => a.seen.length === 2);
    const b = new Collector();
    await logB.consume('uploads', 'ingest', b);
    await until(() => a.owned.size === 1 && b.owned.size === 1);
    const [lost, kept] = a.owned.has(0) ? [1, 0] : [0, 1];
    // Both partitions are assigned again, so the first consumer's earlier records belong to nobody.
    await until(() => a.seen.length >= 3 && b.seen.length >= 1);
    await consumption.commit(lost, 1);
    await consumption.commit(kept, 1);
    const committed = await logA.committedOffsets('uploads', 'ingest');
    expect([committed[lost], committed[kept]]).toEqual([0, 1]);
  });

  it('keeps the partition of a handler that takes longer than the session, and goes on with the others', async () => {
    const logA = await logs.open({ partitions: 2 });
    let finish: (() => void) | undefined;
    const a = new Collector(async (partition) => {
      if (partition === 0 && finish === undefined) {
        await new Promise<void>((resolve) => (finish = resolve));
      }
    });
    const consumption = await logA.consume('uploads', 'ingest', a);
    await logA.append('uploads', [record('slow', { partition: 0 })]);
    await until(() => finish !== undefined);
    const until6s = Date.now() + SESSION_MS + 2_500;
    for (let sent = 0; Date.now() < until6s; sent++) {
      const count = a.seen.length;
      await logA.append('uploads', [record('0', { partition: 0 }), record('1', { partition: 1 })]);
      await until(() => a.seen.length === count + 1);
      await sleep(200);
    }
    const others = a.seen.filter(({ partition }) => partition === 1).length;
    expect(a.events).toHaveLength(2);
    finish!();
    await until(() => a.seen.length === 1 + 2 * others);
    await consumption.commit(0, others + 1);
    expect(await logA.committedOffsets('uploads', 'ingest')).toEqual([others + 1, 0]);
    expect(a.events).toHaveLength(2);
  });

  it('lets a rebalance go ahead under a slow handler, whose partition begins anew only after it', async () => {
    const logA = await logs.open({ partitions: 1 });
    const logB = await logs.open();
    let finish: (() => void) | undefined;
    let calls = 0;
    const a = new Collector(async () => {
      if (++calls === 1) await new Promise<void>((resolve) => (finish = resolve));
    });
    await logA.consume('uploads', 'ingest', a);
    await logA.append('uploads', [record('x')]);
    await until(() => finish !== undefined);
    const b = new Collector();
    await logB.consume('uploads', 'ingest', b);
    await until(() => a.events.includes('-0'));
    await settled(2);
    await logB.close();
    // The first consumer gets the partition back, whoever has it now.
    await settled(1);
    // Longer than it takes to fetch the record again.
    await sleep(500);
    expect(calls).toBe(1);
    finish!();
    await until(() => a.seen.length === 2);
    expect(a.events).toEqual(['+0@0', '-0', '+0@0']);
  });

  it('notices partitions that are added, in consumers, tails and appends', async () => {
    const log = await logs.open({ partitions: 1, metadataMs: 500 });
    const collector = new Collector();
    await log.consume('uploads', 'ingest', collector);
    const tailed: LogRecord[] = [];
    const tail = await log.tail('uploads', [0], (records) => tailed.push(...records));
    await log.append('uploads', [record('before')]);
    await until(() => collector.seen.length === 1);
    await logs.admin((admin) =>
      admin.createPartitions({
        topicPartitions: [{ topic: `${logs.prefix}uploads`, count: 3 }],
      }),
    );
    await until(() => log.partitions('uploads') === 3);
    await log.append('uploads', [record('after', { partition: 2 })]);
    expect(await log.endOffsets('uploads')).toEqual([1, 0, 1]);
    await tail.reached([1, 0, 1], 30_000);
    expect(texts(tailed)).toEqual(['before', 'after']);
    await until(() => texts(collector.seen).includes('after'));
    expect(collector.owned.size).toBe(3);
  });
});
