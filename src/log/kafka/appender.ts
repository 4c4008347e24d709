import type { Kafka } from 'kafkajs';
import { inTime } from '../../domain/in-time.js';
import { logErrors } from '../../ops/metrics.js';
import {
  LogUnavailableError,
  type RecordPosition,
  type RecordToAppend,
  type Topic,
} from '../upload-log.js';
import { type LaneEntry, PartitionLane } from './partition-lane.js';
import { RecordProducer, type RecordProducerOptions } from './record-producer.js';
import { MAX_MESSAGE_BYTES } from './topics.js';

/** Bytes of records that are not acknowledged yet. Beyond it appends are rejected, not gathered. */
const MAX_HELD_BYTES = 48 * 1024 * 1024;
/** Room for a record's headers and the frame around it. */
const MAX_RECORD_BYTES = MAX_MESSAGE_BYTES - 64 * 1024;

export interface AppenderOptions extends RecordProducerOptions {
  readonly prefix: string;
}

/**
 * All appending. Acknowledged means that every in-sync replica has the record (acks=all).
 * A repeated batch may be there twice, which changes nothing for any reader of this log.
 */
export class Appender {
  private readonly lanes = new Map<string, PartitionLane>();
  private heldBytes = 0;
  private isClosed = false;

  static async connect(kafka: Kafka, options: AppenderOptions): Promise<Appender> {
    return new Appender(await RecordProducer.connect(kafka, options), options);
  }

  private constructor(
    private readonly producer: RecordProducer,
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
    await this.producer.disconnect();
  }

  /** Resolves with the offset of the first record. */
  private async submit(
    topic: Topic,
    partition: number,
    records: readonly RecordToAppend[],
  ): Promise<number> {
    const { timeoutMs } = this.options;
    const lane = this.lane(topic, partition);
    const bytes = records.reduce((sum, record) => sum + sizeOf(record), 0);
    let entry!: LaneEntry;
    const acknowledged = new Promise<number>((resolve, reject) => {
      entry = { records, bytes, isOpen: true, resolve, reject };
    });
    this.heldBytes += bytes;
    lane.add(entry);
    try {
      return await inTime(acknowledged, timeoutMs, () => {
        lane.drop(entry);
        throw new LogUnavailableError(`the log did not acknowledge within ${timeoutMs} ms`);
      });
    } catch (error) {
      logErrors.inc({ operation: 'append' });
      throw error;
    }
  }

  private lane(topic: Topic, partition: number): PartitionLane {
    const name = `${topic}/${partition}`;
    let lane = this.lanes.get(name);
    if (lane === undefined) {
      lane = new PartitionLane(
        (records) => this.producer.send(this.options.prefix + topic, partition, records),
        ({ bytes }) => (this.heldBytes -= bytes),
      );
      this.lanes.set(name, lane);
    }
    return lane;
  }
}

function sizeOf({ key, headers, value }: RecordToAppend): number {
  let size = value.length + key.length;
  for (const [name, text] of Object.entries(headers)) size += name.length + text.length;
  return size;
}
