import kafkajs, { type Kafka, type PartitionerArgs, type Producer } from 'kafkajs';
import type { Logger } from '../../ops/logger.js';
import { logErrors, logRefusals } from '../../ops/metrics.js';
import {
  LogUnavailableError,
  type RecordPosition,
  type RecordToAppend,
  type Topic,
} from '../upload-log.js';
import { COMPRESSION_TYPES, type Compression } from './compression.js';
import { reasonOf, refusal, rootOf, unavailable } from './failure.js';
import { type LaneEntry, PartitionLane } from './partition-lane.js';
import { MAX_MESSAGE_BYTES } from './topics.js';

/** Its declared constructor lacks an argument that it needs. */
const NotLoadedError = kafkajs.KafkaJSMetadataNotLoaded as new (message: string) => Error;

/** Bytes of records that are not acknowledged yet. Beyond it appends are rejected, not gathered. */
const MAX_HELD_BYTES = 48 * 1024 * 1024;
/** Room for a record's headers and the frame around it. */
const MAX_RECORD_BYTES = MAX_MESSAGE_BYTES - 64 * 1024;

export interface AppenderOptions {
  readonly compression: Compression;
  readonly timeoutMs: number;
  readonly prefix: string;
  readonly logger: Logger;
}

/**
 * All appending. Acknowledged means that every in-sync replica has the record (acks=all).
 *
 * Not the idempotent producer of kafkajs: it numbers batches and takes the number back when a
 * request fails. The next batch, of other records, then has the number of one that the broker may
 * have, and the broker acknowledges records that it has not written. Here a repeated batch is at
 * most there twice, which changes nothing for any reader of this log.
 */
export class Appender {
  private readonly lanes = new Map<string, PartitionLane>();
  private readonly leaders = { areKnown: true };
  private producer!: Producer;
  private renewing: Promise<void> | undefined;
  private heldBytes = 0;
  private isClosed = false;

  static async connect(kafka: Kafka, options: AppenderOptions): Promise<Appender> {
    const appender = new Appender(kafka, options);
    appender.producer = await appender.connectedProducer();
    return appender;
  }

  private constructor(
    private readonly kafka: Kafka,
    private readonly options: AppenderOptions,
  ) {}

  /**
   * Every record has its partition.
   *
   * @throws LogUnavailableError within the timeout, whatever the brokers do
   * @throws RangeError for a record that is too large for the log
   */
  async append(
    topic: Topic,
    records: readonly (RecordToAppend & { readonly partition: number })[],
  ): Promise<RecordPosition[]> {
    const byPartition = new Map<number, RecordToAppend[]>();
    let bytes = 0;
    for (const record of records) {
      const size = sizeOf(record);
      if (size > MAX_RECORD_BYTES) throw new RangeError(`a record has ${size} bytes`);
      bytes += size;
      const same = byPartition.get(record.partition);
      if (same === undefined) byPartition.set(record.partition, [record]);
      else same.push(record);
    }
    if (this.isClosed) throw new LogUnavailableError('the log is closed');
    if (this.heldBytes > 0 && this.heldBytes + bytes > MAX_HELD_BYTES) {
      logErrors.inc({ operation: 'append' });
      throw new LogUnavailableError('the log is behind: too much is waiting for it already');
    }
    const next = new Map<number, number>();
    await Promise.all(
      Array.from(byPartition, async ([partition, same]) => {
        next.set(partition, await this.submit(topic, partition, same));
      }),
    );
    return records.map(({ partition }) => {
      const offset = next.get(partition)!;
      next.set(partition, offset + 1);
      return { partition, offset };
    });
  }

  /** Waits for appends under way; from now on appends are rejected. */
  async close(): Promise<void> {
    this.isClosed = true;
    for (const lane of this.lanes.values()) await lane.idle();
    await this.renewing;
    await this.producer.disconnect();
  }

  /** Resolves with the offset of the first record. */
  private submit(
    topic: Topic,
    partition: number,
    records: readonly RecordToAppend[],
  ): Promise<number> {
    const { timeoutMs } = this.options;
    const lane = this.lane(topic, partition);
    return new Promise((resolve, reject) => {
      const close = (): void => {
        entry.isOpen = false;
        clearTimeout(timer);
      };
      const entry: LaneEntry = {
        records,
        bytes: records.reduce((sum, record) => sum + sizeOf(record), 0),
        isOpen: true,
        resolve: (offset) => {
          close();
          resolve(offset);
        },
        reject: (error) => {
          close();
          logErrors.inc({ operation: 'append' });
          reject(error);
        },
      };
      const timer = setTimeout(() => {
        entry.reject(new LogUnavailableError(`the log did not acknowledge within ${timeoutMs} ms`));
        lane.drop(entry);
      }, timeoutMs);
      this.heldBytes += entry.bytes;
      lane.add(entry);
    });
  }

  private lane(topic: Topic, partition: number): PartitionLane {
    const name = `${topic}/${partition}`;
    let lane = this.lanes.get(name);
    if (lane === undefined) {
      lane = new PartitionLane(
        (records) => this.send(topic, partition, records),
        lastingOf,
        ({ bytes }) => (this.heldBytes -= bytes),
      );
      this.lanes.set(name, lane);
    }
    return lane;
  }

  private async send(
    topic: Topic,
    partition: number,
    records: readonly RecordToAppend[],
  ): Promise<number> {
    const { producer } = this;
    try {
      const [answer] = await producer.send({
        topic: this.options.prefix + topic,
        acks: -1,
        timeout: this.options.timeoutMs,
        compression: COMPRESSION_TYPES[this.options.compression],
        messages: records.map(({ key, headers, value }) => ({
          partition,
          key,
          headers: { ...headers },
          value: Buffer.from(value.buffer, value.byteOffset, value.byteLength),
        })),
      });
      if (answer?.baseOffset === undefined) throw new Error('the answer has no offset');
      return Number(answer.baseOffset);
    } catch (error) {
      if (isSilence(error)) this.leaders.areKnown = false;
      if (isOfClient(error)) await this.renew(producer, error);
      throw error;
    }
  }

  /** Replaces a producer that is at fault itself: what confuses it may last until it is gone. */
  private async renew(faulty: Producer, error: unknown): Promise<void> {
    if (this.producer !== faulty) return;
    this.renewing ??= this.connectedProducer()
      .then((producer) => {
        this.producer = producer;
        const reason = reasonOf(error);
        this.options.logger.warn({ reason }, 'the client of the brokers was at fault, and is new');
        void faulty.disconnect().catch(() => undefined);
      })
      // The next attempt to send tries it again.
      .catch(() => undefined)
      .finally(() => (this.renewing = undefined));
    await this.renewing;
  }

  private async connectedProducer(): Promise<Producer> {
    const producer = this.kafka.producer({
      createPartitioner: () => (args) => placeOf(args, this.leaders),
      allowAutoTopicCreation: false,
      // The lane repeats requests: it knows whether anybody still waits.
      retry: { retries: 0 },
    });
    await producer.connect();
    return producer;
  }
}

/**
 * The partition that has been chosen already. kafkajs silently drops records of a partition that it
 * does not know, and sends for minutes to a leader that is silent, whoever leads meanwhile. This
 * error makes it ask the brokers again.
 */
function placeOf(
  { message, partitionMetadata }: PartitionerArgs,
  leaders: { areKnown: boolean },
): number {
  if (!leaders.areKnown) {
    leaders.areKnown = true;
    throw new NotLoadedError('a leader was silent, and may be none any more');
  }
  const { partition = 0 } = message;
  if (partition < partitionMetadata.length) return partition;
  throw new NotLoadedError(`nothing is known of partition ${partition} yet`);
}

/** A broker that is stopped or cut off while its connection stays open. */
function isSilence(error: unknown): boolean {
  return rootOf(error).name === 'KafkaJSRequestTimeoutError';
}

/** Neither the brokers nor the network are at fault. */
function isOfClient(error: unknown): boolean {
  const { type, retriable } = rootOf(error);
  return refusal(error) === undefined && type === undefined && retriable !== true;
}

function lastingOf(error: unknown): LogUnavailableError | undefined {
  const isRefused = refusal(error) !== undefined;
  if (isRefused) logRefusals.inc({ operation: 'append' });
  const { type, retriable } = rootOf(error);
  const isLasting = isRefused || (type !== undefined && retriable !== true);
  return isLasting ? unavailable('the log did not take the records', error) : undefined;
}

function sizeOf({ key, headers, value }: RecordToAppend): number {
  let size = value.length + key.length;
  for (const [name, text] of Object.entries(headers)) size += name.length + text.length;
  return size;
}
