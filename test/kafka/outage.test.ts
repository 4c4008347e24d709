import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

import { LogUnavailableError, type LogRecord } from '../../src/log/upload-log.js';
import { KafkaBroker } from '../support/kafka/kafka-broker.js';
import { describeWithBroker } from '../support/kafka/describe-with-broker.js';
import { KafkaLogs } from '../support/kafka/kafka.js';
import { record } from '../support/log/log-folders.js';
import { Collector, texts } from './collector.js';
import { until } from '../support/until.js';

const TIMEOUT_MS = 2_000;
/** Much longer than a refusal takes, much shorter than an outage may last. */
const IN_TIME_MS = 5 * TIMEOUT_MS;

describeWithBroker('while the broker is away', () => {
  let broker: KafkaBroker;
  beforeAll(async () => {
    broker = await KafkaBroker.start();
  });
  afterAll(() => broker.stop());
  const logs = new KafkaLogs(() => [broker.address]);
  afterEach(() => logs.cleanUp());

  /** Returns the milliseconds until `work` is rejected as unavailable. */
  async function refusal(work: Promise<unknown>): Promise<number> {
    const start = performance.now();
    await expect(work).rejects.toThrow(LogUnavailableError);
    return performance.now() - start;
  }

  it('a first broker that takes connections and is silent does not hold up a start', async () => {
    const silent = createServer().listen(0, '127.0.0.1');
    const sockets = new Set<Socket>();
    silent.on('connection', (socket) => sockets.add(socket));
    await once(silent, 'listening');
    const first = `127.0.0.1:${(silent.address() as AddressInfo).port}`;
    try {
      // Each client asks the brokers in an order of its own: some begin with the silent one.
      for (let opened = 0; opened < 10 && sockets.size === 0; opened++) {
        const start = performance.now();
        const log = await logs.open({ brokers: [first, broker.address], timeoutMs: TIMEOUT_MS });
        await log.append('uploads', [record('one')]);
        expect(performance.now() - start).toBeLessThan(30_000);
      }
      expect(sockets.size).toBeGreaterThan(0);
    } finally {
      silent.close();
      for (const socket of sockets) socket.destroy();
    }
  });

  it('everything is refused in time, and goes on by itself when it is back', async () => {
    const log = await logs.open({ timeoutMs: TIMEOUT_MS });
    const collector = new Collector();
    const consumption = await log.consume('uploads', 'ingest', collector);
    const tailed: LogRecord[] = [];
    const tail = await log.tail('uploads', [0], (records) => tailed.push(...records));
    await log.append('uploads', [record('before')]);
    await until(() => collector.seen.length === 1 && tailed.length === 1);
    await consumption.commit(0, 1);

    await broker.kill();
    const refusals = await Promise.all([
      refusal(log.append('uploads', [record('lost?')])),
      refusal(log.endOffsets('uploads')),
      refusal(log.committedOffsets('uploads', 'ingest')),
    ]);
    expect(Math.max(...refusals)).toBeLessThan(IN_TIME_MS);
    await expect(tail.reached([2], 100)).rejects.toThrow(LogUnavailableError);
    // The number of waiting appends is bounded. Beyond it a client gets the refusal at once.
    const large = Buffer.alloc(1_000_000);
    const waiting = Array.from({ length: 60 }, () => log.append('uploads', [record(large)]));
    const refused = await Promise.allSettled(waiting);
    const reasons = refused.map((each) => (each.status === 'rejected' ? String(each.reason) : ''));
    const isAtOnce = (reason: string): boolean => reason.includes('too much is waiting');
    expect(reasons.filter(isAtOnce).length).toBeGreaterThan(1);
    expect(reasons.filter((reason) => !isAtOnce(reason)).length).toBeGreaterThan(10);
    expect(reasons).not.toContain('');

    await broker.restart();
    const restarted = performance.now();
    await until(async () => {
      try {
        await log.append('uploads', [record('after')]);
        return true;
      } catch (error) {
        expect(error).toBeInstanceOf(LogUnavailableError);
        return false;
      }
    });
    expect(performance.now() - restarted).toBeLessThan(40_000);
    await until(() => texts(tailed).includes('after') && texts(collector.seen).includes('after'));
    // The consumer has started again at its committed offset.
    expect(collector.events.at(-1)).toBe('+0@1');
    const { offset } = collector.seen.at(-1)!;
    await consumption.commit(0, offset + 1);
    expect(await log.committedOffsets('uploads', 'ingest')).toEqual([offset + 1]);
  });

  it('a broker that hangs is one that is away', async () => {
    const log = await logs.open({ timeoutMs: TIMEOUT_MS });
    await log.append('uploads', [record('before')]);
    broker.signal('SIGSTOP');
    await sleep(200);
    try {
      const refusals = await Promise.all([
        refusal(log.append('uploads', [record('late')])),
        refusal(log.endOffsets('uploads')),
      ]);
      expect(Math.max(...refusals)).toBeLessThan(IN_TIME_MS);
    } finally {
      broker.signal('SIGCONT');
    }
    await until(async () =>
      log.append('uploads', [record('after')]).then(
        () => true,
        () => false,
      ),
    );
  });

  it('at the start it is waited for', async () => {
    await broker.kill();
    const opening = logs.open();
    let isOpen = false;
    void opening.then(() => (isOpen = true));
    await sleep(2_000);
    expect(isOpen).toBe(false);
    await broker.restart();
    const log = await opening;
    await log.append('uploads', [record('a')]);
  });
});
