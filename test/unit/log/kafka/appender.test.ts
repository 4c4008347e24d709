import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import kafkajs, { type Kafka, type PartitionerArgs, type ProducerConfig } from 'kafkajs';

import { Appender } from '../../../../src/log/kafka/appender.js';
import { createLogger } from '../../../../src/ops/logger.js';
import { logErrors } from '../../../../src/ops/metrics.js';

const logger = createLogger('silent');

/** A fake kafkajs producer. Like the real one, it refreshes the leaders only after some errors. */
function silentLeader(): { readonly kafka: Kafka; readonly sent: string[] } {
  const sent: string[] = [];
  let leader = 'silent';
  const producer = (config: ProducerConfig): object => {
    const place = config.createPartitioner!();
    const args = { message: { partition: 0 }, partitionMetadata: [{}] };
    return {
      connect: () => Promise.resolve(),
      send: () => {
        try {
          place(args as unknown as PartitionerArgs);
        } catch (error) {
          if (!(error instanceof kafkajs.KafkaJSMetadataNotLoaded)) throw error;
          leader = 'another';
          return Promise.reject(error);
        }
        sent.push(leader);
        if (leader === 'another') return Promise.resolve([{ baseOffset: '0' }]);
        return Promise.reject(timeout());
      },
    };
  };
  return { kafka: { producer } as unknown as Kafka, sent };
}

function timeout(): Error {
  const TimeoutError = kafkajs.KafkaJSRequestTimeoutError as new (
    message: string,
    details: object,
  ) => Error;
  return new TimeoutError('timed out', {});
}

test('a leader that does not answer is asked once, and then whoever leads now', async () => {
  const { kafka, sent } = silentLeader();
  const appender = await Appender.connect(kafka, {
    compression: 'none',
    timeoutMs: 2_000,
    prefix: '',
    logger,
  });
  const record = { key: 'a', partition: 0, headers: {}, value: Buffer.from('a') };
  expect(await appender.append('uploads', [record])).toEqual([{ partition: 0, offset: 0 }]);
  expect(sent).toEqual(['silent', 'another']);
});

test('a leader that waits in vain for its replicas answers, and is not taken for silent', async () => {
  const timeoutMs = 500;
  const places: unknown[] = [];
  const placed = (place: () => unknown): void => {
    try {
      places.push(place());
    } catch (error) {
      places.push(error);
      throw error;
    }
  };
  const producer = (config: ProducerConfig): object => {
    const place = config.createPartitioner!();
    const args = { message: { partition: 0 }, partitionMetadata: [{}] };
    return {
      connect: () => Promise.resolve(),
      disconnect: () => Promise.resolve(),
      send: async ({ timeout: brokerMs }: { timeout: number }) => {
        placed(() => place(args as unknown as PartitionerArgs));
        // Its answer is on its way for a moment.
        const inSync = { type: 'REQUEST_TIMED_OUT', retriable: true };
        await Promise.race([
          sleep(brokerMs + 20).then(() =>
            Promise.reject(Object.assign(new Error('in sync'), inSync)),
          ),
          sleep(timeoutMs).then(() => Promise.reject(timeout())),
        ]);
      },
    };
  };
  const kafka = { producer } as unknown as Kafka;
  const appender = await Appender.connect(kafka, {
    compression: 'none',
    timeoutMs,
    prefix: '',
    logger,
  });
  const record = { key: 'a', partition: 0, headers: {}, value: Buffer.from('a') };
  const append = (): Promise<unknown> => appender.append('uploads', [record]);
  await expect(append()).rejects.toThrow('did not acknowledge');
  await expect(append()).rejects.toThrow('did not acknowledge');
  expect(places).toEqual(places.map(() => 0));
  expect(places.length).toBeGreaterThan(1);
});

/** Producers of which the first ones say nothing about the records, as kafkajs once did. */
function faultyProducers(faulty: number): { readonly kafka: Kafka; readonly sentBy: number[] } {
  const sentBy: number[] = [];
  let count = 0;
  const producer = (): object => {
    const number = count++;
    return {
      connect: () => Promise.resolve(),
      disconnect: () => Promise.resolve(),
      send: () => {
        sentBy.push(number);
        return Promise.resolve(number < faulty ? [] : [{ baseOffset: '7' }]);
      },
    };
  };
  return { kafka: { producer } as unknown as Kafka, sentBy };
}

test('a producer that is at fault itself is replaced, and the records are sent again', async () => {
  const { kafka, sentBy } = faultyProducers(1);
  const options = { compression: 'none', timeoutMs: 2_000, prefix: '', logger } as const;
  const appender = await Appender.connect(kafka, options);
  const record = { key: 'a', partition: 0, headers: {}, value: Buffer.from('a') };
  expect(await appender.append('uploads', [record])).toEqual([{ partition: 0, offset: 7 }]);
  expect(sentBy).toEqual([0, 1]);
});

test('if the new producer is at fault too, the append is rejected, and the next has another', async () => {
  const { kafka, sentBy } = faultyProducers(2);
  const options = { compression: 'none', timeoutMs: 2_000, prefix: '', logger } as const;
  const appender = await Appender.connect(kafka, options);
  const record = { key: 'a', partition: 0, headers: {}, value: Buffer.from('a') };
  await expect(appender.append('uploads', [record])).rejects.toThrow(
    'the log did not take the records: the answer has no offset',
  );
  expect(await appender.append('uploads', [record])).toEqual([{ partition: 0, offset: 7 }]);
  expect(sentBy).toEqual([0, 1, 2]);
});

test('an append that is not acknowledged in time and then refused counts as one error', async () => {
  let refuse: (error: Error) => void = () => undefined;
  const producer = (): object => ({
    connect: () => Promise.resolve(),
    disconnect: () => Promise.resolve(),
    send: () => new Promise((_, reject) => (refuse = reject)),
  });
  const options = { compression: 'none', timeoutMs: 20, prefix: '', logger } as const;
  const appender = await Appender.connect({ producer } as unknown as Kafka, options);
  const record = { key: 'a', partition: 0, headers: {}, value: Buffer.from('a') };
  const before = await appendErrors();
  await expect(appender.append('uploads', [record])).rejects.toThrow(
    'the log did not acknowledge within 20 ms',
  );
  refuse(Object.assign(new Error('no'), { type: 'TOPIC_AUTHORIZATION_FAILED' }));
  await appender.close();
  expect(await appendErrors()).toBe(before + 1);
});

async function appendErrors(): Promise<number> {
  const { values } = await logErrors.get();
  return values.find(({ labels }) => labels.operation === 'append')?.value ?? 0;
}
