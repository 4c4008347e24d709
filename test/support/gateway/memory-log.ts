import {
  type Consumption,
  endOf,
  type LogRecord,
  LogUnavailableError,
  type RecordPosition,
  type RecordToAppend,
  type Tail,
  type Topic,
  type TopicRecords,
  type UploadLog,
} from '../../../src/log/upload-log.js';

/** A log in memory that can stall, fail and be slow. It has no consumers. */
export class MemoryLog implements UploadLog {
  /** How long an append takes, in milliseconds. */
  delayMs = 0;
  /** The log's clock. */
  now: () => number = Date.now;
  /** Decides which appends fail. The log does not keep the records of a failed append. */
  fails: (topic: Topic, records: readonly RecordToAppend[]) => boolean = () => false;
  /** Number of appends, by topic. */
  readonly appends = new Map<Topic, number>();
  /** Bytes of the values of all appends begun, and the number of unacknowledged appends. */
  begunBytes = 0;
  unacknowledged = 0;
  mostUnacknowledged = 0;

  private readonly topics = new Map<Topic, LogRecord[][]>();
  private readonly tails: ((to: Topic, record: LogRecord) => void)[] = [];
  private stalled: (() => void)[] | undefined;

  constructor(private readonly partitionCount = 4) {}

  /** Holds back all further appends until `resume`. */
  stall(): void {
    this.stalled ??= [];
  }

  resume(): void {
    const waiting = this.stalled ?? [];
    this.stalled = undefined;
    for (const go of waiting) go();
  }

  /** All records of the topic, in append order within each partition. */
  records(topic: Topic): readonly LogRecord[] {
    return (this.topics.get(topic) ?? []).flat();
  }

  partitions(): number {
    return this.partitionCount;
  }

  async append(
    topic: Topic,
    records: readonly RecordToAppend[],
  ): Promise<readonly RecordPosition[]> {
    for (const record of records) this.begunBytes += record.value.length;
    this.appends.set(topic, (this.appends.get(topic) ?? 0) + 1);
    this.unacknowledged += 1;
    this.mostUnacknowledged = Math.max(this.mostUnacknowledged, this.unacknowledged);
    try {
      await new Promise<void>((resolve) => {
        if (this.stalled !== undefined) this.stalled.push(resolve);
        else if (this.delayMs > 0) setTimeout(resolve, this.delayMs);
        else setImmediate(resolve);
      });
      if (this.fails(topic, records)) throw new LogUnavailableError('told to fail');
      return records.map((record) => this.keep(topic, record));
    } finally {
      this.unacknowledged -= 1;
    }
  }

  /** Like on Kafka, each topic may fail or stall on its own. */
  async appendInOrder(appends: readonly TopicRecords[]): Promise<void> {
    for (const { topic, records } of appends) await this.append(topic, records);
  }

  endOffsets(topic: Topic): Promise<readonly number[]> {
    return Promise.resolve(this.partitionsOf(topic).map((partition) => partition.length));
  }

  async endOffset(topic: Topic, partition: number): Promise<number> {
    return endOf(await this.endOffsets(topic), topic, partition);
  }

  committedOffsets(): Promise<readonly number[]> {
    return Promise.resolve(Array.from({ length: this.partitionCount }, () => 0));
  }

  async *read(
    topic: Topic,
    partition: number,
    from: number,
    to: number,
  ): AsyncIterable<readonly LogRecord[]> {
    await Promise.resolve();
    const records = this.partitionsOf(topic)[partition]!.slice(from, to);
    if (records.length > 0) yield records;
  }

  consume(): Promise<Consumption> {
    throw new Error('the memory log has no consumers');
  }

  rewind(): Promise<void> {
    throw new Error('the memory log has no consumers');
  }

  tail(
    topic: Topic,
    _from: readonly number[],
    onRecords: (records: readonly LogRecord[]) => void,
  ): Promise<Tail> {
    // Tails get a record before its append is acknowledged.
    this.tails.push((to, record) => {
      if (to === topic) onRecords([record]);
    });
    for (const record of this.records(topic)) onRecords([record]);
    return Promise.resolve({
      failed: new Promise<never>(() => undefined),
      reached: () => Promise.resolve(),
      stop: () => Promise.resolve(),
    });
  }

  maxRetentionMs(): Promise<number> {
    return Promise.resolve(Infinity);
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  private keep(topic: Topic, record: RecordToAppend): RecordPosition {
    const partition = record.partition ?? record.key.length % this.partitionCount;
    const records = this.partitionsOf(topic)[partition]!;
    const position = { partition, offset: records.length };
    const value = Buffer.from(record.value);
    const { key, headers } = record;
    const kept = { ...position, timestamp: this.now(), key, headers, value };
    records.push(kept);
    for (const tell of this.tails) tell(topic, kept);
    return position;
  }

  private partitionsOf(topic: Topic): LogRecord[][] {
    let partitions = this.topics.get(topic);
    if (partitions === undefined) {
      partitions = Array.from({ length: this.partitionCount }, () => []);
      this.topics.set(topic, partitions);
    }
    return partitions;
  }
}
