import {
  type Consumption,
  type LogRecord,
  LogUnavailableError,
  type RecordHandler,
  type RecordPosition,
  type RecordToAppend,
  type Tail,
  type Topic,
  type TopicRecords,
  type UploadLog,
} from '../upload-log.js';
import { maxRetentionMs, rewindGroup } from './admin.js';
import { type Connected, type ConnectOptions, connectWhenUp } from './connect.js';
import { DirectReader } from './direct-reader.js';
import { KafkaConsumption } from './kafka-consumption.js';
import { KafkaTail } from './kafka-tail.js';
import { partitionOfKey } from './partition-of-key.js';
import { readRange } from './read-range.js';

export interface KafkaLogOptions extends Omit<ConnectOptions, 'prefix' | 'metadataMs'> {
  /** Prefix of the names of topics and groups; `custom-data.` by default. */
  readonly prefix?: string;
  /** After so long without a heartbeat a consumer's partitions go to others; 10 s by default. */
  readonly sessionMs?: number;
  /** How long added partitions may stay unnoticed; 30 s by default. */
  readonly metadataMs?: number;
}

const DEFAULT_PREFIX = 'custom-data.';
/** A killed process keeps its partitions for so long. A busy event loop must not exceed it. */
const SESSION_MS = 10_000;
const METADATA_MS = 30_000;

/**
 * The log on Apache Kafka. An append of several records is not atomic: when it fails, any of them
 * may be in the log. A record may be there twice when an acknowledgement was lost.
 *
 * Until `ready` has resolved everything is unavailable. A stopped consumption stays in the group,
 * so that handed-over records can still be committed. `close` leaves the group, and so does the
 * group's next consumption.
 */
export class KafkaLog implements UploadLog {
  private readonly options: ConnectOptions & { readonly sessionMs: number };
  private readonly tails = new Set<KafkaTail>();
  private readonly consumptions = new Map<string, KafkaConsumption>();
  private connection: Connected | undefined;
  private refreshing: NodeJS.Timeout | undefined;
  private closed: Promise<void> | undefined;

  constructor(options: KafkaLogOptions) {
    this.options = {
      prefix: DEFAULT_PREFIX,
      sessionMs: SESSION_MS,
      metadataMs: METADATA_MS,
      ...options,
    };
  }

  /**
   * Waits for the brokers, logging what it waits for, and creates and checks the topics. To be
   * called once.
   *
   * @throws ConfigError what waiting does not fix, in one line
   * @throws the signal's reason
   */
  async ready(signal: AbortSignal): Promise<void> {
    const connection = await connectWhenUp(this.options, signal);
    this.connection = connection;
    this.refreshing = setInterval(() => {
      connection.reader.refresh().catch(() => undefined);
    }, this.options.metadataMs);
    this.refreshing.unref();
  }

  partitions(topic: Topic): number {
    return this.connected().reader.partitions(this.nameOf(topic));
  }

  /**
   * @throws RangeError for a partition that the topic does not have, and for a record that is too
   * large for the log
   */
  async append(
    topic: Topic,
    records: readonly RecordToAppend[],
  ): Promise<readonly RecordPosition[]> {
    if (records.length === 0) return [];
    const count = this.partitions(topic);
    const placed = records.map(({ key, partition: chosen, headers, value }) => {
      const partition = chosen ?? partitionOfKey(key, count);
      if (Number.isInteger(partition) && partition >= 0 && partition < count) {
        return { key, partition, headers, value };
      }
      throw new RangeError(`topic ${topic} has no partition ${partition}`);
    });
    return this.connected().appender.append(topic, placed);
  }

  async appendInOrder(appends: readonly TopicRecords[]): Promise<void> {
    for (const { topic, records } of appends) await this.append(topic, records);
  }

  async endOffsets(topic: Topic): Promise<readonly number[]> {
    return this.connected().reader.offsets(this.nameOf(topic), 'next');
  }

  async endOffset(topic: Topic, partition: number): Promise<number> {
    return this.connected().reader.offset(this.nameOf(topic), partition, 'next');
  }

  async committedOffsets(topic: Topic, group: string): Promise<readonly number[]> {
    const { reader } = this.connected();
    const name = this.nameOf(topic);
    const committed = await reader.committed(name, this.options.prefix + group);
    return committed.map((offset) => Math.max(offset, 0));
  }

  async rewind(topic: Topic, group: string, offsets: readonly number[]): Promise<void> {
    const { kafka } = this.connected();
    await rewindGroup(kafka, this.nameOf(topic), this.options.prefix + group, offsets);
  }

  /** @throws Error when this process consumes the group already */
  async consume(topic: Topic, group: string, handler: RecordHandler): Promise<Consumption> {
    const { kafka, reader } = this.connected();
    const before = this.consumptions.get(group);
    if (before?.isStopped === false) throw new Error(`the group ${group} is consumed already`);
    await before?.leave();
    const consumption = new KafkaConsumption(
      {
        ...this.options,
        kafka,
        topic: this.nameOf(topic),
        group: this.options.prefix + group,
        committed: (partitions) =>
          reader.committed(this.nameOf(topic), this.options.prefix + group, partitions),
        offset: (partition, which) => reader.offset(this.nameOf(topic), partition, which),
      },
      handler,
    );
    this.consumptions.set(group, consumption);
    return consumption;
  }

  async tail(
    topic: Topic,
    from: readonly number[],
    onRecords: (records: readonly LogRecord[]) => void,
  ): Promise<Tail> {
    const { timeoutMs, metadataMs, logger } = this.options;
    const name = this.nameOf(topic);
    // Connections of its own: brokers hold its requests until there are records.
    const reader = new DirectReader(this.connected().kafka, timeoutMs, metadataMs);
    try {
      await reader.retried(`the tail of ${name}`, () => reader.connect([name]));
    } catch (error) {
      await reader.disconnect();
      throw error;
    }
    const tail = new KafkaTail(reader, name, from, onRecords, logger);
    this.tails.add(tail);
    void tail.ended.then(() => this.tails.delete(tail));
    return tail;
  }

  async *read(
    topic: Topic,
    partition: number,
    from: number,
    to: number,
  ): AsyncIterable<readonly LogRecord[]> {
    const end = Math.min(to, await this.endOffset(topic, partition));
    yield* readRange(this.connected().reader, this.nameOf(topic), partition, from, end);
  }

  async maxRetentionMs(topic: Topic): Promise<number> {
    return maxRetentionMs(this.connected().kafka, this.nameOf(topic));
  }

  close(): Promise<void> {
    this.closed ??= this.release();
    return this.closed;
  }

  /** @throws LogUnavailableError */
  private connected(): Connected {
    if (this.connection !== undefined) return this.connection;
    throw new LogUnavailableError('the brokers have not answered yet');
  }

  private nameOf(topic: Topic): string {
    return this.options.prefix + topic;
  }

  private async release(): Promise<void> {
    clearInterval(this.refreshing);
    await Promise.all(Array.from(this.tails, (tail) => tail.stop()));
    await Promise.all(Array.from(this.consumptions.values(), (each) => each.leave()));
    await this.connection?.appender.close();
    await this.connection?.reader.disconnect();
  }
}
