import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { pino } from 'pino';

import { KafkaConsumption } from '../../../../src/log/kafka/kafka-consumption.js';
import { logRefusals } from '../../../../src/ops/metrics.js';
import { FakeKafka } from '../../../support/kafka/fake-kafka.js';
import { Collector, texts } from '../../../kafka/collector.js';
import { until } from '../../../support/until.js';

const TOPIC = 'test.uploads';

let fake: FakeKafka;
let collector: Collector;
let consumption: KafkaConsumption;
/** The first and the next offset of the log, by partition; undefined: it has no leader. */
let log: Record<'first' | 'next', (number | undefined)[]>;

beforeEach(async () => {
  fake = new FakeKafka(TOPIC, 2);
  collector = new Collector();
  log = { first: [0, 0], next: [2_000, 2_000] };
  consumption = new KafkaConsumption(
    {
      kafka: fake.kafka,
      topic: TOPIC,
      group: 'test.ingest',
      sessionMs: 6_000,
      metadataMs: 30_000,
      timeoutMs: 1_000,
      committed: () => Promise.resolve([...fake.committed]),
      offset: (partition, which) => {
        const offset = log[which][partition];
        return offset === undefined
          ? Promise.reject(new Error('no leader'))
          : Promise.resolve(offset);
      },
      logger: pino({ level: 'silent' }),
    },
    collector,
  );
  // The consumer connects before it runs.
  await until(() => fake.isRunning);
});
afterEach(() => consumption.leave());

function joined(): Promise<void> {
  fake.join();
  return until(() => collector.owned.size === fake.committed.length);
}

const offsets = (): number[] => texts(collector.seen).map(Number);
const range = (from: number, to: number): number[] =>
  Array.from({ length: to - from }, (_, i) => from + i);

test('an answer from before a rejoin is not taken after it, and nothing is left out', async () => {
  // Partition 0 has lost its leader; partition 1 must not wait for it.
  log = { first: [undefined, 0], next: [undefined, 2_000] };
  await joined();
  await fake.fetch(1, 1_000);
  await consumption.commit(1, 500);
  collector.seen.length = 0;

  // The fetcher of another broker rejoins the group while this answer is on its way.
  await joined();
  await fake.answer(1, 1_000, 100);
  expect(offsets()).toEqual([]);
  while (fake.positions[1]! < 1_100) await fake.fetch(1, 100);
  expect(offsets()).toEqual(range(500, 1_100));
});

test('what was not announced when the group joins anew is not taken back either', async () => {
  await joined();
  fake.join();
  fake.join();
  await until(() => collector.owned.size === fake.committed.length);
  expect(collector.events).toEqual(['+0@0', '+1@0', '-0', '-1', '+0@0', '+1@0']);
});

test('a partition without a commit begins at its first record, once it has a leader', async () => {
  fake.committed.fill(-1);
  log.first = [undefined, 300];
  fake.join();
  await until(() => collector.owned.has(1));
  expect(collector.events).toEqual(['+1@300']);
  log.first = [40, 300];
  await until(() => collector.owned.has(0));
  expect(collector.events).toEqual(['+1@300', '+0@40']);
});

test('an answer that comes a second time changes nothing', async () => {
  await joined();
  await fake.fetch(0, 100);
  await fake.answer(0, 0, 100);
  await fake.fetch(0, 100);
  expect(offsets()).toEqual(range(0, 200));
});

test('what retention has left out inside a batch is no gap', async () => {
  await joined();
  await fake.fetch(0, 100);
  await fake.answer(0, 100, 50, 150);
  await fake.fetch(0, 100);
  expect(offsets()).toEqual([...range(0, 100), ...range(150, 300)]);
});

test('goes on at the first record there is when retention has deleted the next one', async () => {
  await joined();
  await fake.fetch(0, 100);
  log.first = [700, 0];
  // A broker has told kafkajs that offset 100 is out of range.
  fake.positions[0] = 700;
  while (fake.positions[0] < 800) await fake.fetch(0, 100);
  expect(offsets()).toEqual([...range(0, 100), ...range(700, 800)]);
  expect(collector.events).toEqual(['+0@0', '+1@0']);
});

test('a broker that is behind and says out of range does not move the place', async () => {
  await joined();
  await fake.fetch(0, 100);
  await consumption.commit(0, 60);
  // kafkajs then resets its position.
  fake.positions[0] = 0;
  await fake.fetch(0, 50);
  expect(fake.committed[0]).toBe(60);
  await fake.fetch(0, 100);
  expect(offsets()).toEqual(range(0, 200));
  expect(collector.events).toEqual(['+0@0', '+1@0']);
});

test('begins a log anew that was made anew, or was cut off', async () => {
  await joined();
  await fake.fetch(0, 100);
  log.next = [50, 0];
  fake.positions[0] = 0;
  await fake.fetch(0, 50);
  await fake.fetch(0, 50);
  expect(offsets()).toEqual([...range(0, 100), ...range(0, 50)]);
  expect(collector.events).toEqual(['+0@0', '+1@0', '-0', '+0@0']);
});

test('a partition that comes back while its batch is handed over is fetched again', async () => {
  await joined();
  let finish: (() => void) | undefined;
  collector.records = () => new Promise((resolve) => (finish = resolve));
  const handed = fake.fetch(0, 100);
  await until(() => finish !== undefined);
  fake.join();
  await handed;
  finish!();
  await until(() => !fake.paused.has(0));
});

test('a heartbeat that was under way before a rejoin is no sign of a lost answer, a later one is', async () => {
  await joined();
  const { made } = fake;
  fake.askToJoin();
  fake.heartbeat();
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  expect(fake.made).toBe(made);
  fake.heartbeat();
  await until(() => fake.made > made && fake.isRunning);
});

test('what the brokers refuse is counted and asked for again, as often as it takes', async () => {
  const before = await refusals();
  for (const type of ['SASL_AUTHENTICATION_FAILED', 'TOPIC_AUTHORIZATION_FAILED']) {
    const made = fake.made;
    fake.crash(Object.assign(new Error('refused'), { type }));
    await until(() => fake.made > made && fake.isRunning);
  }
  expect((await refusals()) - before).toBe(2);
  await joined();
  await fake.fetch(0, 100);
  expect(offsets()).toEqual(range(0, 100));
});

test('what cannot be read ends it', async () => {
  fake.crash(Object.assign(new Error('zstd'), { name: 'KafkaJSNotImplemented' }));
  await expect(consumption.failed).rejects.toThrow('the log holds what cannot be read: zstd');
});

async function refusals(): Promise<number> {
  const { values } = await logRefusals.get();
  return values.find(({ labels }) => labels.operation === 'consume')?.value ?? 0;
}
