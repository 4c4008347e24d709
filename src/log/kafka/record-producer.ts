import kafkajs, { type Kafka, type PartitionerArgs, type Producer } from 'kafkajs';
import type { Logger } from '../../ops/logger.js';
import type { RecordToAppend } from '../upload-log.js';
import { COMPRESSION_TYPES, type Compression } from './compression.js';
import { refusal, rootOf, unavailable } from './failure.js';
import { RareLine } from '../../ops/rare-line.js';

export const NOT_TAKEN = 'the log did not take the records';
/** Its declared constructor lacks an argument that it needs. */
const NotLoadedError = kafkajs.KafkaJSMetadataNotLoaded as new (message: string) => Error;

/** A leader that waits for its replicas answers before the client takes it for silent. */
const ANSWER_SHARE = 0.8;

export interface RecordProducerOptions {
  readonly compression: Compression;
  readonly timeoutMs: number;
  readonly logger: Logger;
}

/**
 * A producer of kafkajs, which is replaced when it is at fault itself.
 *
 * Not the idempotent one: it numbers batches and takes the number back when a request fails. The
 * next batch, of other records, then has the number of one that the broker may have, and the broker
 * acknowledges records that it has not written.
 */
export class RecordProducer {
  private readonly leaders = { areKnown: true };
  private producer!: Producer;
  /** Producers that nothing was wrong with. */
  private readonly proven = new WeakSet<Producer>();
  private renewing: Promise<void> | undefined;
  private readonly replacements = new RareLine();

  static async connect(kafka: Kafka, options: RecordProducerOptions): Promise<RecordProducer> {
    const producer = new RecordProducer(kafka, options);
    producer.producer = await producer.connected();
    producer.proven.add(producer.producer);
    return producer;
  }

  private constructor(
    private readonly kafka: Kafka,
    private readonly options: RecordProducerOptions,
  ) {}

  async disconnect(): Promise<void> {
    await this.producer.disconnect();
  }

  /**
   * @param topic the full name
   * @returns the offset of the first record, once every in-sync replica has them
   */
  async send(
    topic: string,
    partition: number,
    records: readonly RecordToAppend[],
  ): Promise<number> {
    const { producer } = this;
    try {
      const [answer] = await producer.send({
        topic,
        acks: -1,
        timeout: Math.round(ANSWER_SHARE * this.options.timeoutMs),
        compression: COMPRESSION_TYPES[this.options.compression],
        messages: records.map(({ key, headers, value }) => ({
          partition,
          key,
          headers: { ...headers },
          value: Buffer.from(value.buffer, value.byteOffset, value.byteLength),
        })),
      });
      if (answer?.baseOffset === undefined) throw new Error('the answer has no offset');
      this.proven.add(producer);
      return Number(answer.baseOffset);
    } catch (error) {
      if (isSilence(error)) this.leaders.areKnown = false;
      if (!isOfClient(error)) throw error;
      await this.renew(producer, error);
      // If a new producer fails in the same way, sending again does not help.
      throw this.proven.has(producer) ? error : unavailable(NOT_TAKEN, error);
    } finally {
      // What was under way meanwhile may have connected it again.
      if (producer !== this.producer) void producer.disconnect().catch(() => undefined);
    }
  }

  /** Replaces a producer that is at fault itself: what confuses it may last until it is gone. */
  private async renew(faulty: Producer, error: unknown): Promise<void> {
    if (this.producer !== faulty) return;
    this.renewing ??= this.connected()
      .then((producer) => (this.producer = producer))
      // The next attempt to send tries it again.
      .catch(() => undefined)
      .then(() => (this.renewing = undefined));
    this.replacements.write(() => {
      const { name, message } = rootOf(error);
      const reason = name.startsWith('KafkaJS') ? message : name;
      this.options.logger.warn({ reason }, 'the Kafka client is at fault and is replaced');
    });
    await this.renewing;
  }

  private async connected(): Promise<Producer> {
    const producer = this.kafka.producer({
      createPartitioner: () => (args) => placeOf(args, this.leaders),
      allowAutoTopicCreation: false,
      // The lane repeats requests: it knows whether anybody still waits.
      retry: { retries: 0 },
    });
    try {
      await producer.connect();
    } catch (error) {
      void producer.disconnect().catch(() => undefined);
      throw error;
    }
    return producer;
  }
}

/**
 * The partition that has been chosen already. kafkajs silently drops records of a partition that it
 * does not know, and sends for minutes to a leader that is silent, even when another broker leads
 * by then. This error makes it ask the brokers again.
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
  const { name, type, retriable } = rootOf(error);
  if (refusal(error) !== undefined || name === 'KafkaJSLockTimeout') return false;
  return type === undefined && retriable !== true;
}
