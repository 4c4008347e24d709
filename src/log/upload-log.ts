/**
 * The durable log: topics of records in partitions, each record with an offset.
 *
 * Two adapters: `log/lmdb` (in the process, the default) and `log/kafka`.
 */

export const TOPICS = ['uploads', 'status', 'dead-letter', 'control', 'claims'] as const;
/** In Kafka the topic's name is `custom-data.` and this. */
export type Topic = (typeof TOPICS)[number];

/** The consumer groups: who reads which topic. */
export const CONSUMER_GROUPS = {
  /** Processes uploads. */
  ingest: { topic: 'uploads', group: 'ingest' },
  /** Writes transitions into the request history. */
  history: { topic: 'status', group: 'status-history' },
  /** Applies operators' orders about metrics. */
  metrics: { topic: 'control', group: 'metric-catalogue' },
  /** Writes operators' actions into the audit table. */
  audit: { topic: 'control', group: 'audit' },
  /** Erases accounts. */
  erasure: { topic: 'control', group: 'account-erasure' },
} as const satisfies Record<string, { topic: Topic; group: string }>;

export interface RecordToAppend {
  /** Chooses the partition, unless `partition` is given. */
  readonly key: string;
  readonly partition?: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly value: Uint8Array;
}

export interface TopicRecords {
  readonly topic: Topic;
  readonly records: readonly RecordToAppend[];
}

export interface RecordPosition {
  readonly partition: number;
  readonly offset: number;
}

export interface LogRecord extends RecordPosition {
  /** Milliseconds since the epoch, given by the log when it took the record; never decreases within a partition. */
  readonly timestamp: number;
  readonly key: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly value: Buffer<ArrayBuffer>;
}

/**
 * Receives the records of one consumption. Calls for one partition never overlap: the next records
 * of a partition follow after the promise for the ones before has resolved. A rejection ends the
 * consumption (see `Consumption.failed`).
 */
export interface RecordHandler {
  /** Records of the partition follow from `offset` (the committed one) on. */
  assigned(partition: number, offset: number): void;
  /** No more records of the partition follow. Drop its state and commit nothing. */
  revoked(partition: number): void;
  /** `records` are in the order of their offsets, at least one. */
  records(partition: number, records: readonly LogRecord[]): Promise<void>;
}

export interface Consumption {
  /**
   * Commits durably: the next consumer of the partition begins at `offset`. For a revoked partition
   * nothing is committed. May be called after `stop`.
   */
  commit(partition: number, offset: number): Promise<void>;
  /** Rejects when the consumption cannot go on; otherwise pending until `stop`. */
  readonly failed: Promise<never>;
  /** Resolves when no handler call is under way and none will follow. Commits nothing. */
  stop(): Promise<void>;
}

export interface Tail {
  /**
   * Rejects when the tail cannot go on; otherwise pending. What may pass (a log that is away, or
   * refuses) is waited for.
   */
  readonly failed: Promise<never>;
  /** Resolves when every record below `offsets` (by partition) has been handed over; rejects on a timeout. */
  reached(offsets: readonly number[], timeoutMs: number): Promise<void>;
  stop(): Promise<void>;
}

/** The log did not take the records or did not answer; whether they are in it is unknown. */
export class LogUnavailableError extends Error {
  override readonly name = 'LogUnavailableError';
}

export function isLogUnavailable(error: unknown): boolean {
  return error instanceof LogUnavailableError;
}

/** @throws LogUnavailableError if `ends`, by partition, does not have the partition */
export function endOf(ends: readonly number[], topic: Topic, partition: number): number {
  const end = ends[partition];
  if (end === undefined) throw new LogUnavailableError(`${topic} has no partition ${partition}`);
  return end;
}

/** Undefined while the log, or the partition that is asked, does not answer. */
export async function unlessAway<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof LogUnavailableError) return undefined;
    throw error;
  }
}

export interface UploadLog {
  /** How many partitions the topic has now. */
  partitions(topic: Topic): number;

  /**
   * Appends in the given order. Resolves with the positions, in the same order, once every record
   * is durable. Records of one partition get consecutive offsets.
   *
   * @throws LogUnavailableError
   */
  append(topic: Topic, records: readonly RecordToAppend[]): Promise<readonly RecordPosition[]>;

  /**
   * Appends to one topic after the other. Resolves once every record is durable. No reader ever
   * finds a topic's records without those of the topics before it.
   *
   * @throws LogUnavailableError how much was appended is unknown
   */
  appendInOrder(appends: readonly TopicRecords[]): Promise<void>;

  /** By partition: the offset that the next record gets. */
  endOffsets(topic: Topic): Promise<readonly number[]>;

  /**
   * That of one partition, even while others have no leader.
   *
   * @throws LogUnavailableError also if the topic does not have it: it may have been added just now
   */
  endOffset(topic: Topic, partition: number): Promise<number>;

  /**
   * By partition: where a consumer of `group` would begin, unless retention has deleted what is
   * there; 0 where the group has committed nothing.
   */
  committedOffsets(topic: Topic, group: string): Promise<readonly number[]>;

  /**
   * Makes the group begin at `offsets` (by partition) again. No consumer may be a member of it.
   *
   * @throws LogUnavailableError
   * @throws Error, one line, when the group has a member
   */
  rewind(topic: Topic, group: string, offsets: readonly number[]): Promise<void>;

  /**
   * Reads every partition of `topic` from the committed offsets of `group` on, as its only member
   * or as one of several.
   */
  consume(topic: Topic, group: string, handler: RecordHandler): Promise<Consumption>;

  /** Hands over every record from `from` (offsets by partition) on, in order within a partition, without a group. */
  tail(
    topic: Topic,
    from: readonly number[],
    onRecords: (records: readonly LogRecord[]) => void,
  ): Promise<Tail>;

  /** The records of one partition with `from` <= offset < `to` that are still kept, in batches. */
  read(
    topic: Topic,
    partition: number,
    from: number,
    to: number,
  ): AsyncIterable<readonly LogRecord[]>;

  /**
   * How long the topic keeps a record at most, in milliseconds; Infinity: for ever. The embedded
   * log keeps a record longer while a group has not committed it.
   *
   * @throws LogUnavailableError
   */
  maxRetentionMs(topic: Topic): Promise<number>;

  /** Waits for appends under way, then releases everything. Idempotent. */
  close(): Promise<void>;
}
