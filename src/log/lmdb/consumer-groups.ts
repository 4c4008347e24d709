import { Failure } from '../../domain/failure.js';
import { retrying } from '../../domain/retry.js';
import {
  type LogRecord,
  isLogUnavailable,
  type RecordHandler,
  type Topic,
  type Consumption,
} from '../upload-log.js';
import type { Ends } from './ends.js';
import type { GroupCommit } from './group-commit.js';
import type { LogStore } from './log-store.js';
import { PartitionReader } from './partition-reader.js';

/** One group reading every partition of a topic; no partition is ever revoked. */
interface LmdbConsumption extends Consumption {
  /** Resolves when no reader runs any more; never rejects. */
  readonly ended: Promise<unknown>;
}

/** The watermarks of the groups, and which groups are consumed here. */
export class ConsumerGroups {
  private readonly consumed = new Set<string>();

  constructor(
    private readonly store: LogStore,
    private readonly ends: Ends,
    private readonly commits: GroupCommit,
  ) {}

  /** By partition. */
  committedOffsets(topic: Topic, group: string): number[] {
    return this.ends.offsets(topic).map((_, i) => this.store.watermark(topic, group, i) ?? 0);
  }

  /** See `UploadLog.rewind`. The data folder's lock tells of members in other processes. */
  async rewind(topic: Topic, group: string, offsets: readonly number[]): Promise<void> {
    if (this.consumed.has(`${topic}/${group}`)) throw new Error(`the group ${group} has a member`);
    await this.setWatermarks(topic, group, [...offsets.entries()]);
  }

  /** See `UploadLog.consume`. */
  async consume(topic: Topic, group: string, handler: RecordHandler): Promise<LmdbConsumption> {
    const name = `${topic}/${group}`;
    if (this.consumed.has(name)) throw new Error(`group ${group} consumes ${topic} already`);
    this.consumed.add(name);
    try {
      const offsets = this.committedOffsets(topic, group);
      await this.introduce(topic, group, offsets);
      const consumption = this.start(topic, group, offsets, handler);
      void consumption.ended.then(() => this.consumed.delete(name));
      return consumption;
    } catch (error) {
      this.consumed.delete(name);
      throw error;
    }
  }

  /** Makes the group known, so that retention keeps what it has not committed. */
  private async introduce(topic: Topic, group: string, offsets: readonly number[]): Promise<void> {
    const isNew = (partition: number) =>
      this.store.watermark(topic, group, partition) === undefined;
    const watermarks = [...offsets.entries()].filter(([partition]) => isNew(partition));
    if (watermarks.length > 0) await this.setWatermarks(topic, group, watermarks);
  }

  private start(
    topic: Topic,
    group: string,
    offsets: readonly number[],
    handler: RecordHandler,
  ): LmdbConsumption {
    const failure = new Failure();
    const stopping = new AbortController();
    const readers = offsets.map((next, partition) => {
      const assigned = (offset: number): void => {
        handler.assigned(partition, offset);
      };
      const records = (batch: LogRecord[]): Promise<void> => handler.records(partition, batch);
      return new PartitionReader(this.ends.source(topic, partition), next, { assigned, records });
    });
    const stopReaders = (): void => {
      // A reader ends when its records are handled, and they may wait for a commit.
      stopping.abort();
      for (const reader of readers) reader.stop();
    };
    const runs = readers.map((reader) =>
      this.ends.run(reader).catch((error: unknown) => {
        stopReaders();
        failure.report(error);
      }),
    );
    const ended = Promise.all(runs);
    return {
      failed: failure.promise,
      ended,
      commit: (partition, offset) => this.commit(topic, group, partition, offset, stopping.signal),
      stop: async () => {
        stopReaders();
        await ended;
      },
    };
  }

  /** @param signal aborted: it tries once */
  private async commit(
    topic: Topic,
    group: string,
    partition: number,
    offset: number,
    signal: AbortSignal,
  ): Promise<void> {
    const end = this.ends.offsets(topic)[partition];
    if (end === undefined || offset > end) {
      throw new RangeError(`offset ${offset} of ${topic}/${partition} is not in the log`);
    }
    // What keeps the log from writing, such as a full disk, passes: it ends nobody.
    const write = (): Promise<void> => this.setWatermarks(topic, group, [[partition, offset]]);
    await retrying(write, isLogUnavailable, signal);
  }

  private setWatermarks(
    topic: Topic,
    group: string,
    watermarks: readonly (readonly [partition: number, offset: number])[],
  ): Promise<void> {
    return this.commits.submit('commit', 0, () => {
      for (const [partition, offset] of watermarks) {
        this.store.setWatermark(topic, group, partition, offset);
      }
    });
  }
}
