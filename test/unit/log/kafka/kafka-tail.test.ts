import { setImmediate } from 'node:timers/promises';

import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import type { KafkaMessage } from 'kafkajs';
import { pino } from 'pino';

import { DirectReader, type Fetched } from '../../../../src/log/kafka/direct-reader.js';
import { KafkaTail } from '../../../../src/log/kafka/kafka-tail.js';
import { readRange } from '../../../../src/log/kafka/read-range.js';
import {
  LogUnavailableError,
  type LogRecord,
  type RecordPosition,
} from '../../../../src/log/upload-log.js';
import { texts } from '../../../kafka/collector.js';

/** Brokers that hold back every answer until the test releases it. */
class Brokers {
  leader = 'a';
  /** The offset of the first record, and the offset after the last one. */
  log = { first: 0, next: 4 };
  /** Resolves when the brokers may answer with offsets. */
  offsetsTold = Promise.resolve();
  readonly asked: { node: string; places: readonly RecordPosition[]; settle: Settle }[] = [];
  private wakeUp: (() => void) | undefined;

  get reader(): DirectReader {
    const answers = {
      partitions: () => 1,
      leaders: () => new Map([[this.leader, [0]]]),
      refresh: () => Promise.resolve(),
      refreshIfOld: () => Promise.resolve(),
      offset: async (_topic: string, _partition: number, which: 'first' | 'next') => {
        await this.offsetsTold;
        return this.log[which];
      },
      retried: (_what: string, work: () => Promise<unknown>) => again(work),
      disconnect: () => Promise.resolve(),
      fetch: (node: string, _topic: string, places: readonly RecordPosition[]) =>
        new Promise<readonly Fetched[]>((resolve, reject) => {
          this.asked.push({ node, places, settle: { resolve, reject } });
          this.wakeUp?.();
        }),
    };
    return Object.assign(Object.create(DirectReader.prototype) as DirectReader, answers);
  }

  /** Waits for the next fetch request to a broker. */
  async question(node = this.leader): Promise<{ from: number } & Settle> {
    for (;;) {
      const i = this.asked.findIndex((each) => each.node === node);
      if (i >= 0) {
        const [{ places, settle }] = this.asked.splice(i, 1) as [(typeof this.asked)[number]];
        return { from: places[0]!.offset, ...settle };
      }
      await new Promise<void>((resolve) => (this.wakeUp = resolve));
    }
  }
}

/** Retries as the reader does, but without pauses. */
async function again(work: () => Promise<unknown>): Promise<unknown> {
  return work().catch(() => again(work));
}

interface Settle {
  resolve(fetched: readonly Fetched[]): void;
  reject(error: Error): void;
}

function records(from: number, to: number): Fetched[] {
  const messages = Array.from({ length: to - from }, (_, i) => {
    const text = `${from + i}`;
    return { offset: text, timestamp: '0', key: null, value: Buffer.from(text) } as KafkaMessage;
  });
  return [{ partition: 0, messages }];
}

let brokers: Brokers;
let tail: KafkaTail;
let seen: LogRecord[];
beforeEach(() => {
  brokers = new Brokers();
  seen = [];
});
afterEach(() => tail.stop());

function follow(onRecords = (handed: readonly LogRecord[]) => void seen.push(...handed)): void {
  const logger = pino({ level: 'silent' });
  tail = new KafkaTail(brokers.reader, 'test.status', [0], onRecords, logger);
}

test.each([
  ['a login', { name: 'KafkaJSSASLAuthenticationError' }],
  ['a right', { type: 'TOPIC_AUTHORIZATION_FAILED' }],
  ['a handshake', { code: 'EPROTO' }],
])('asks again when %s is refused', async (_, fields) => {
  follow();
  for (let times = 0; times < 3; times++) {
    (await brokers.question()).reject(Object.assign(new Error('refused'), fields));
  }
  (await brokers.question()).resolve(records(0, 3));
  await tail.reached([3], 4_000);
  expect(texts(seen)).toEqual(['0', '1', '2']);
});

test('hands over once, and all, what two brokers are asked for while the leader changes', async () => {
  follow();
  const old = await brokers.question('a');
  brokers.leader = 'b';
  // A query for an unknown partition refreshes the metadata.
  await expect(tail.reached([0, 1], 10)).rejects.toThrow(LogUnavailableError);
  const first = await brokers.question('b');
  first.resolve(records(0, 2));
  const next = await brokers.question('b');
  expect(next.from).toBe(2);
  old.resolve(records(0, 3));
  next.resolve(records(2, 4));
  await tail.reached([4], 4_000);
  expect(texts(seen)).toEqual(['0', '1', '2', '3']);
});

test('asks again when an answer never comes', async () => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate'] });
  try {
    follow();
    const lost = await brokers.question();
    const again = brokers.question();
    await jest.advanceTimersByTimeAsync(61_000);
    (await again).resolve(records(0, 2));
    await tail.reached([2], 4_000);
    // It comes after all.
    lost.resolve(records(0, 3));
    (await brokers.question()).resolve(records(2, 4));
    await tail.reached([4], 4_000);
  } finally {
    jest.useRealTimers();
  }
  expect(texts(seen)).toEqual(['0', '1', '2', '3']);
});

test('says that it cannot go on at records that cannot be read', async () => {
  follow();
  const error = Object.assign(new Error('zstd'), { name: 'KafkaJSNotImplemented' });
  (await brokers.question()).reject(error);
  await expect(tail.failed).rejects.toThrow('the log holds what cannot be read: zstd');
  await expect(tail.reached([1], 60_000)).rejects.toThrow('cannot go on');
});

test('says that it cannot go on when its records cannot be taken', async () => {
  follow(() => {
    throw new TypeError('not a transition');
  });
  (await brokers.question()).resolve(records(0, 1));
  await expect(tail.failed).rejects.toThrow(TypeError);
});

const outOfRange = Object.assign(new Error('out of range'), {
  name: 'KafkaJSOffsetOutOfRange',
  partition: 0,
});

test('goes on where it stands when a broker that is behind says that it is out of range', async () => {
  follow();
  (await brokers.question()).resolve(records(0, 2));
  (await brokers.question()).reject(outOfRange);
  const next = await brokers.question();
  expect(next.from).toBe(2);
  next.resolve(records(2, 4));
  await tail.reached([4], 4_000);
  expect(texts(seen)).toEqual(['0', '1', '2', '3']);
});

test('hands over once what the new leader gives while the old one is out of range', async () => {
  follow();
  const old = await brokers.question('a');
  brokers.leader = 'b';
  await expect(tail.reached([0, 1], 10)).rejects.toThrow(LogUnavailableError);
  let tell!: () => void;
  brokers.offsetsTold = new Promise((resolve) => (tell = resolve));
  old.reject(outOfRange);
  (await brokers.question('b')).resolve(records(0, 2));
  const next = await brokers.question('b');
  expect(next.from).toBe(2);
  tell();
  await brokers.offsetsTold;
  await setImmediate();
  next.resolve(records(2, 4));
  await tail.reached([4], 4_000);
  expect(texts(seen)).toEqual(['0', '1', '2', '3']);
});

test('goes on at the first record when retention has deleted the next one', async () => {
  follow();
  (await brokers.question()).resolve(records(0, 2));
  brokers.log = { first: 5, next: 9 };
  (await brokers.question()).reject(outOfRange);
  expect((await brokers.question()).from).toBe(5);
});

test('a range is read to its end although a broker that is behind says that it is out of range', async () => {
  const read: number[] = [];
  const reading = (async () => {
    for await (const batch of readRange(brokers.reader, 'test.status', 0, 0, 4)) {
      read.push(...texts(batch).map(Number));
    }
  })();
  (await brokers.question()).resolve(records(0, 2));
  (await brokers.question()).reject(outOfRange);
  (await brokers.question()).resolve(records(2, 4));
  await reading;
  expect(read).toEqual([0, 1, 2, 3]);
  follow();
});
