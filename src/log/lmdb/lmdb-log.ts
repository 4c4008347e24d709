import { setImmediate } from 'node:timers/promises';

import {
  type Consumption,
  endOf,
  type LogRecord,
  type RecordHandler,
  type RecordPosition,
  type RecordToAppend,
  type Tail,
  type Topic,
  type TopicRecords,
  type UploadLog,
} from '../upload-log.js';
import { ConsumerGroups } from './consumer-groups.js';
import { DiskReserve, freeBytesOf } from './disk-reserve.js';
import { Ends } from './ends.js';
import { GroupCommit } from './group-commit.js';
import { emptyHead, type Head, partitionOfKey } from './head.js';
import { LmdbTail } from './lmdb-tail.js';
import { LogStore } from './log-store.js';
import { openOnce } from './open-once.js';
import { Retention } from './retention.js';

export interface LmdbLogOptions {
  /** The folder of the log; made when it does not exist. */
  readonly dir: string;
  /**
   * How many partitions a topic gets when the log is made, otherwise 1. An existing log keeps its
   * own.
   */
  readonly partitions?: Partial<Record<Topic, number>>;
  /** How long a record stays at least, even when no group needs it any more. */
  readonly retentionMs: number;
  /** Whether this process deletes what is older, once a minute. Otherwise true. */
  readonly runsRetention?: boolean;
  /** How long the disk may take to acknowledge before a write is rejected. */
  readonly timeoutMs: number;
  /** Milliseconds since the epoch; may step back. */
  readonly now?: () => number;
  /** Free bytes of the folder's disk. */
  readonly freeBytes?: () => number;
}

/** A consumption or a tail. */
interface Stream {
  readonly ended: Promise<unknown>;
  stop(): Promise<void>;
}

/**
 * The log in one LMDB environment. The records of one call are written in one transaction: after a
 * crash all of them are there, or none. Appends that come together share a transaction and its sync
 * to the disk. The bytes of a value must not change until its append settles.
 *
 * Another process may open the folder too, to append and to read. Only one process may consume a
 * group; the lock of the data folder sees to that.
 */
export class LmdbLog implements UploadLog {
  private readonly store: LogStore;
  private readonly ends: Ends;
  private readonly commits: GroupCommit;
  private readonly groups: ConsumerGroups;
  private readonly retention: Retention;
  private readonly now: () => number;
  private readonly reserve: DiskReserve;
  private readonly streams = new Set<Stream>();
  private closed: Promise<void> | undefined;

  /** @throws Error when the folder cannot be opened, or is open in this process already */
  static open(options: LmdbLogOptions): LmdbLog {
    const release = openOnce(options.dir);
    if (release === undefined) throw new Error(`${options.dir} is open in this process already`);
    try {
      return new LmdbLog(options, release);
    } catch (error) {
      release();
      throw error;
    }
  }

  private constructor(
    options: LmdbLogOptions,
    private readonly releaseFolder: () => void,
  ) {
    this.now = options.now ?? Date.now;
    this.store = new LogStore(options.dir, emptyHead(options.partitions ?? {}));
    this.reserve = new DiskReserve(options.freeBytes ?? (() => freeBytesOf(options.dir)), () =>
      this.store.reusableBytes(),
    );
    this.ends = new Ends(this.store);
    this.commits = new GroupCommit(this.store, options.timeoutMs, (head) => {
      this.ends.advance(head);
    });
    this.groups = new ConsumerGroups(this.store, this.ends, this.commits);
    this.retention = new Retention(this.store, this.commits, options.retentionMs, this.now);
    if (options.runsRetention ?? true) this.retention.start();
  }

  /** Rejects when the log can be neither written nor read until another process opens it. */
  get failed(): Promise<never> {
    return this.store.failure.promise;
  }

  partitions(topic: Topic): number {
    return this.ends.offsets(topic).length;
  }

  /** @throws RangeError for a partition that the topic does not have */
  async append(
    topic: Topic,
    records: readonly RecordToAppend[],
  ): Promise<readonly RecordPosition[]> {
    return this.write([{ topic, records }]);
  }

  /** In one transaction, like the records of one topic. */
  async appendInOrder(appends: readonly TopicRecords[]): Promise<void> {
    await this.write(appends);
  }

  /** Includes what other processes have appended. */
  async endOffsets(topic: Topic): Promise<readonly number[]> {
    await Promise.resolve();
    this.ends.refresh();
    return this.ends.offsets(topic);
  }

  async endOffset(topic: Topic, partition: number): Promise<number> {
    return endOf(await this.endOffsets(topic), topic, partition);
  }

  async committedOffsets(topic: Topic, group: string): Promise<readonly number[]> {
    await Promise.resolve();
    return this.groups.committedOffsets(topic, group);
  }

  rewind(topic: Topic, group: string, offsets: readonly number[]): Promise<void> {
    return this.groups.rewind(topic, group, offsets);
  }

  /** @throws Error when this process consumes the group already */
  async consume(topic: Topic, group: string, handler: RecordHandler): Promise<Consumption> {
    return this.keep(await this.groups.consume(topic, group, handler));
  }

  async tail(
    topic: Topic,
    from: readonly number[],
    onRecords: (records: readonly LogRecord[]) => void,
  ): Promise<Tail> {
    await Promise.resolve();
    const sources = this.ends.offsets(topic).map((_, i) => this.ends.source(topic, i));
    return this.keep(new LmdbTail(sources, from, (reader) => this.ends.run(reader), onRecords));
  }

  async *read(
    topic: Topic,
    partition: number,
    from: number,
    to: number,
  ): AsyncIterable<readonly LogRecord[]> {
    const end = Math.min(to, await this.endOffset(topic, partition));
    let next = from;
    while (next < end) {
      const batch = this.store.readBatch(topic, partition, next, end);
      const last = batch.at(-1);
      if (last === undefined) return;
      yield batch;
      next = last.offset + 1;
      await setImmediate();
    }
  }

  /**
   * Deletes now what retention allows.
   *
   * @returns how many records were deleted
   * @throws LogUnavailableError
   */
  deleteExpired(): Promise<number> {
    return this.retention.run();
  }

  /** The same for every topic. */
  maxRetentionMs(): Promise<number> {
    return Promise.resolve(this.retention.maxMs);
  }

  close(): Promise<void> {
    this.closed ??= this.release();
    return this.closed;
  }

  private async write(appends: readonly TopicRecords[]): Promise<readonly RecordPosition[]> {
    const placed = appends.flatMap(({ topic, records }) =>
      records.map((record) => ({ topic, partition: this.partitionOf(topic, record), record })),
    );
    if (placed.length === 0) return [];
    const bytes = placed.reduce((sum, { record }) => sum + record.value.length, 0);
    return this.reserve.within(bytes, () =>
      this.commits.submit('append', bytes, (head) =>
        placed.map(({ topic, partition, record }) => this.put(head, topic, partition, record)),
      ),
    );
  }

  private partitionOf(topic: Topic, { key, partition }: RecordToAppend): number {
    const count = this.partitions(topic);
    if (partition === undefined) return partitionOfKey(key, count);
    if (Number.isInteger(partition) && partition >= 0 && partition < count) return partition;
    throw new RangeError(`topic ${topic} has no partition ${partition}`);
  }

  private put(
    head: Head,
    topic: Topic,
    partition: number,
    { key, headers, value }: RecordToAppend,
  ): RecordPosition {
    const end = head[topic][partition]!;
    const offset = end.offset++;
    end.timestamp = Math.max(end.timestamp, this.now());
    this.store.put(topic, { partition, offset, timestamp: end.timestamp, key, headers }, value);
    return { partition, offset };
  }

  private keep<S extends Stream>(stream: S): S {
    this.streams.add(stream);
    void stream.ended.then(() => this.streams.delete(stream));
    return stream;
  }

  private async release(): Promise<void> {
    this.retention.stop();
    this.ends.stop();
    await Promise.all(Array.from(this.streams, (stream) => stream.stop()));
    await this.commits.close();
    await this.store.close();
    this.releaseFolder();
  }
}
