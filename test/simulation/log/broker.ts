import { partitionOfKey } from '../../../src/log/kafka/partition-of-key.js';
import {
  type LogRecord,
  type RecordPosition,
  type RecordToAppend,
  type Topic,
  TOPICS,
} from '../../../src/log/upload-log.js';
import { Group } from './group.js';
import { type Network, Server, type ServerOptions } from '../network.js';
import type { Actor } from '../time.js';

/** One partition: all records ever appended, and the offset of the first one that is still kept. */
interface Partition {
  readonly all: LogRecord[];
  first: number;
  /** Callbacks that wait for more records. */
  waiting: (() => void)[];
}

export interface BrokerOptions extends ServerOptions {
  readonly partitions: Partial<Record<Topic, number>>;
  /** A group removes a member that sends no heartbeat for this long. */
  readonly sessionMs: number;
  readonly retentionMs: number;
}

/** The brokers of a log like Kafka's, as one server: their records and their groups. */
export class Broker extends Server {
  private readonly topics: ReadonlyMap<Topic, readonly Partition[]>;
  private readonly groups = new Map<string, Group>();
  /** Partitions by key, cached because computing them takes long. */
  private readonly places = new Map<string, number>();
  readonly sessionMs: number;
  readonly retentionMs: number;

  constructor(network: Network, { partitions, sessionMs, retentionMs, ...options }: BrokerOptions) {
    super(network, 'log', options);
    this.sessionMs = sessionMs;
    this.retentionMs = retentionMs;
    this.topics = new Map(
      TOPICS.map((topic) => [
        topic,
        Array.from({ length: partitions[topic] ?? 1 }, () => ({ all: [], first: 0, waiting: [] })),
      ]),
    );
  }

  /** Called for every commit that advances a partition, with the old and the new offset. */
  committed: (topic: Topic, group: string, partition: number, from: number, to: number) => void =
    () => undefined;

  partitions(topic: Topic): number {
    return this.topics.get(topic)!.length;
  }

  group(topic: Topic, name: string): Group {
    const key = `${topic}/${name}`;
    let group = this.groups.get(key);
    if (group === undefined) {
      group = new Group(this, topic, key, this.partitions(topic));
      this.groups.set(key, group);
    }
    return group;
  }

  /** @throws RangeError */
  placeOf(topic: Topic, { key, partition }: RecordToAppend): number {
    const count = this.partitions(topic);
    const place = partition ?? this.placeOfKey(key, count);
    if (Number.isInteger(place) && place >= 0 && place < count) return place;
    throw new RangeError(`topic ${topic} has no partition ${place}`);
  }

  /** @param records their values must not change any more */
  append(topic: Topic, partition: number, records: readonly RecordToAppend[]): RecordPosition {
    const { all, waiting } = this.partition(topic, partition);
    const position = { partition, offset: all.length };
    for (const { key, headers, value } of records) {
      const timestamp = Math.max(all.at(-1)?.timestamp ?? 0, Math.floor(this.network.time.now()));
      const offset = all.length;
      const kept = value as Buffer<ArrayBuffer>;
      all.push({ partition, offset, timestamp, key, headers: { ...headers }, value: kept });
    }
    for (const wake of waiting.splice(0)) wake();
    return position;
  }

  /** Up to `most` records from `from` on that are still kept, and where the next ones begin. */
  fetch(
    topic: Topic,
    partition: number,
    from: number,
    most: number,
  ): { records: LogRecord[]; next: number } {
    const { all, first } = this.partition(topic, partition);
    const start = Math.max(from, first);
    const records = all.slice(start, start + most).map(handedOver);
    return { records, next: start + records.length };
  }

  /** Calls `tell` when the partition has a record at `offset` or above. */
  whenThere(topic: Topic, partition: number, offset: number, asker: Actor, tell: () => void): void {
    const { all, waiting } = this.partition(topic, partition);
    const { time } = this.network;
    const wake = (): void => {
      time.after(asker, this.delay(), tell);
    };
    if (offset < all.length) wake();
    else waiting.push(wake);
  }

  ends(topic: Topic): number[] {
    return this.topics.get(topic)!.map(({ all }) => all.length);
  }

  firsts(topic: Topic): number[] {
    return this.topics.get(topic)!.map(({ first }) => first);
  }

  /** All records ever appended to a partition, from one offset to another. */
  records(topic: Topic, partition: number, from: number, to: number): LogRecord[] {
    return this.partition(topic, partition).all.slice(from, to);
  }

  /** All records ever appended, including those that retention has deleted. */
  everything(topic: Topic): LogRecord[] {
    return this.topics.get(topic)!.flatMap(({ all }) => all);
  }

  /** Deletes records that are older than the retention. */
  deleteOld(topic: Topic): void {
    const time = this.network.time.now() - this.retentionMs;
    for (const partition of this.topics.get(topic)!) {
      while (
        partition.first < partition.all.length &&
        partition.all[partition.first]!.timestamp < time
      ) {
        partition.first++;
      }
    }
  }

  private placeOfKey(key: string, count: number): number {
    const name = `${count} ${key}`;
    let place = this.places.get(name);
    if (place === undefined) this.places.set(name, (place = partitionOfKey(key, count)));
    return place;
  }

  private partition(topic: Topic, partition: number): Partition {
    return this.topics.get(topic)![partition]!;
  }
}

/** A copy, because a reader may transfer the record's memory. */
function handedOver(record: LogRecord): LogRecord {
  return { ...record, value: Buffer.from(record.value) };
}
