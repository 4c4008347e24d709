import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { open, type Database, type RootDatabase } from 'lmdb';
import { Failure, messageOf } from '../../domain/failure.js';
import { lostDisk } from '../../ops/lost-disk.js';
import { syncFolder } from '../../ops/sync-folder.js';
import { LogUnavailableError, type LogRecord, type Topic } from '../upload-log.js';
import { handled } from './commit-cause.js';
import { type Head, newVersion, type Tip } from './head.js';
import { reusableBytes } from './reusable-bytes.js';
import { mendWriteError } from './write-error.js';

/** Address space reserved for the file; unused it takes no memory and no disk. */
const MAP_BYTES = 2 ** 40;
/** A batch is read in one go, on the event loop: this bounds how long that takes. */
const BATCH_RECORDS = 500;
const BATCH_BYTES = 4 * 1024 * 1024;

/** In every error once the environment has failed, until another process opens the folder. */
const PANIC = 'MDB_PANIC';

/** Slots of writers that have ended are used again. */
const WRITER_SLOTS = 256;

type RecordKey = [topic: Topic, partition: number, offset: number];
type WatermarkKey = [topic: Topic, group: string, partition: number];

/** The version of a writer's entry is the number of its last write. */
type Writer = string;
type Slot = number;

/** Everything of a record but its offset and its value. */
type RecordEntry = readonly [
  timestamp: number,
  key: string,
  headers: Readonly<Record<string, string>>,
];

/**
 * The LMDB environment of the log. Values have a database of their own, so that they are written
 * from the buffers they came in, and looking at timestamps reads no value.
 *
 * A transaction becomes visible to readers, in all processes, only after it has been synced to the
 * disk: whatever can be read is durable. Every read throws LogUnavailableError when LMDB fails.
 * `put`, `remove` and `setWatermark` may be called inside `writeAfter` only.
 */
export class LogStore {
  /** Reported when LMDB's own page or the file system cannot be written any more. */
  readonly failure = new Failure();
  private hasFailed = false;
  private readonly file: string;
  private readonly root: RootDatabase;
  /** The head, and the last write of each writer, in the page that every commit writes anyway. */
  private readonly head: Database<Head | Writer, 'head' | Slot>;
  private readonly records: Database<RecordEntry, RecordKey>;
  private readonly values: Database<Uint8Array, RecordKey>;
  private readonly watermarks: Database<number, WatermarkKey>;
  /** If two writers get the same slot, one may not find its write and is refused. */
  private readonly slot: Slot = process.pid % WRITER_SLOTS;
  private readonly writer: Writer = randomUUID();
  private writes = 0;
  private unsettled = 0;

  /** @param initial the head of a new log, and of topics that are new to a log */
  constructor(dir: string, initial: Head) {
    mkdirSync(dir, { recursive: true });
    this.file = join(dir, 'data.mdb');
    mendWriteError();
    this.root = open({
      path: dir,
      noSubdir: false,
      mapSize: MAP_BYTES,
      // Overlapping syncs show transactions to readers before they are durable, and are no faster.
      overlappingSync: false,
      // A batch of the event turn has a promise of its own, whose rejection nobody could handle.
      eventTurnBatching: false,
    });
    this.head = this.root.openDB({ name: 'head', encoding: 'json', useVersions: true });
    this.records = this.root.openDB({ name: 'records', encoding: 'json' });
    this.values = this.root.openDB({ name: 'values', encoding: 'binary' });
    this.watermarks = this.root.openDB({ name: 'watermarks', encoding: 'json' });
    this.root.transactionSync(() => {
      const head = this.head.get('head') as Head | undefined;
      if (head === undefined) this.head.putSync('head', initial, newVersion());
      else if (Object.keys(initial).some((topic) => !(topic in head))) {
        this.head.putSync('head', { ...initial, ...head }, newVersion());
      }
    });
    syncFolder(dir);
    syncFolder(dirname(resolve(dir)));
  }

  /** The head as of the last commit of any process, as a copy. */
  readTip(): Tip {
    return this.answering(() => {
      this.root.resetReadTxn();
      const entry = this.head.getEntry('head');
      if (entry?.version === undefined) throw new Error('the head entry is missing');
      return { head: entry.value as Head, version: entry.version };
    });
  }

  /**
   * Writes what `puts` puts and removes, and the head as `puts` leaves it, in one transaction, if
   * the commit before is the one that made `version`.
   *
   * Several may be under way. Then LMDB's library may report the outcome of a later transaction for
   * an earlier one, though never before both have ended. So unless a write was the only one, it
   * counts as written if it is found. The writes of one writer therefore have to build on one
   * another, each on the version of the one before, until all under way have settled.
   *
   * @returns whether it was written, durably
   */
  async writeAfter(
    version: number,
    { head, version: next }: Tip,
    puts: () => void,
  ): Promise<boolean> {
    const isOldest = this.unsettled++ === 0;
    const number = ++this.writes;
    let isNext = true;
    let failure: Error | undefined;
    try {
      isNext = await this.head.ifVersion('head', version, () => {
        puts();
        void this.head.put('head', head, next);
        if (!isOldest) void this.head.put(this.slot, this.writer, number);
      });
    } catch (error) {
      failure = handled(error);
    } finally {
      this.unsettled--;
    }
    const isWritten = isOldest ? isNext && failure === undefined : this.lastWrite() >= number;
    if (isWritten) return true;
    if (!isNext) return false;
    const lost = lostDisk(this.file);
    if (lost !== undefined) this.failure.report(lost);
    throw failure ?? new Error('the transaction failed');
  }

  /** `value` must stay as it is until the transaction is written. */
  put(topic: Topic, record: Omit<LogRecord, 'value'>, value: Uint8Array): void {
    const at: RecordKey = [topic, record.partition, record.offset];
    void this.records.put(at, [record.timestamp, record.key, record.headers]);
    void this.values.put(at, value);
  }

  remove(topic: Topic, partition: number, offset: number): void {
    void this.records.remove([topic, partition, offset]);
    void this.values.remove([topic, partition, offset]);
  }

  setWatermark(topic: Topic, group: string, partition: number, offset: number): void {
    void this.watermarks.put([topic, group, partition], offset);
  }

  watermark(topic: Topic, group: string, partition: number): number | undefined {
    return this.answering(() => this.watermarks.get([topic, group, partition]));
  }

  /** The watermarks of all groups. */
  watermarksOf(topic: Topic, partition: number): number[] {
    return this.answering(() =>
      Array.from(this.watermarks.getRange())
        .filter(({ key }) => key[0] === topic && key[2] === partition)
        .map(({ value }) => value),
    );
  }

  /**
   * The first records with `from` <= offset < `to`, up to the bound of a batch. Empty if none is
   * kept.
   */
  readBatch(topic: Topic, partition: number, from: number, to: number): LogRecord[] {
    return this.answering(() => {
      const batch: LogRecord[] = [];
      let bytes = 0;
      for (const { key: at, value: entry } of this.range(topic, partition, from, to)) {
        const [timestamp, key, headers] = entry;
        const value = this.values.get(at) as Buffer<ArrayBuffer> | undefined;
        if (value === undefined) throw new Error(`the value of ${at.join('/')} is missing`);
        batch.push({ partition, offset: at[2], timestamp, key, headers, value });
        bytes += value.length;
        if (bytes >= BATCH_BYTES || batch.length >= BATCH_RECORDS) break;
      }
      return batch;
    });
  }

  /**
   * The offsets of the first records, at most `limit`, that are below `to` and older than `time`.
   */
  offsetsOlderThan(
    topic: Topic,
    partition: number,
    to: number,
    time: number,
    limit: number,
  ): number[] {
    return this.answering(() => {
      const offsets: number[] = [];
      for (const { key, value: entry } of this.range(topic, partition, 0, to)) {
        if (entry[0] >= time || offsets.length === limit) break;
        offsets.push(key[2]);
      }
      return offsets;
    });
  }

  /** What the file can take without growing. */
  reusableBytes(): number {
    const { root, head, records, values, watermarks } = this;
    return this.answering(() => reusableBytes(root, [head, records, values, watermarks]));
  }

  async close(): Promise<void> {
    // After a panic LMDB's own thread may hold its lock for ever.
    if (!this.hasFailed) await this.root.close();
  }

  /** The number of this writer's last write in the store; 0 if there is none. */
  private lastWrite(): number {
    return this.answering(() => {
      this.root.resetReadTxn();
      const entry = this.head.getEntry(this.slot);
      return entry?.value === this.writer ? (entry.version ?? 0) : 0;
    });
  }

  private answering<T>(read: () => T): T {
    try {
      return read();
    } catch (cause) {
      if (cause instanceof Error && cause.message.includes(PANIC)) {
        this.hasFailed = true;
        this.failure.report(new Error('LMDB can neither write nor read any more', { cause }));
      }
      throw new LogUnavailableError(`the log could not be read: ${messageOf(cause)}`, { cause });
    }
  }

  private range(topic: Topic, partition: number, from: number, to: number) {
    return this.records.getRange({ start: [topic, partition, from], end: [topic, partition, to] });
  }
}
