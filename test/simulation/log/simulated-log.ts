import {
  type Consumption,
  endOf,
  type LogRecord,
  LogUnavailableError,
  type RecordHandler,
  type RecordPosition,
  type RecordToAppend,
  type Tail,
  type Topic,
  type TopicRecords,
  type UploadLog,
} from '../../../src/log/upload-log.js';
import { NoAnswerError } from '../network.js';
import type { Actor } from '../time.js';
import type { Broker } from './broker.js';
import { SimulatedConsumption } from './consumption.js';
import { SimulatedTail } from './tail.js';

const MOST_READ = 50;

/**
 * The log as one process sees it. Appends to one partition run one after the other. Appends to
 * several partitions are independent, so any of them may fail alone, as on Kafka.
 */
export class SimulatedLog implements UploadLog {
  /** The last append, by topic and partition. */
  private readonly lanes = new Map<string, Promise<unknown>>();
  private readonly consumptions = new Map<string, SimulatedConsumption>();
  private readonly tails: SimulatedTail[] = [];
  private members = 0;

  constructor(
    private readonly broker: Broker,
    private readonly actor: Actor,
    private readonly timeoutMs: number,
  ) {}

  partitions(topic: Topic): number {
    return this.broker.partitions(topic);
  }

  async append(
    topic: Topic,
    records: readonly RecordToAppend[],
  ): Promise<readonly RecordPosition[]> {
    const byPartition = new Map<number, RecordToAppend[]>();
    const places = records.map((record) => this.broker.placeOf(topic, record));
    for (const [i, record] of records.entries()) {
      const same = byPartition.get(places[i]!) ?? [];
      byPartition.set(places[i]!, [...same, record]);
    }
    const next = new Map<number, number>();
    await Promise.all(
      [...byPartition].map(async ([partition, same]) => {
        next.set(partition, (await this.submit(topic, partition, same)).offset);
      }),
    );
    return places.map((partition) => {
      const offset = next.get(partition)!;
      next.set(partition, offset + 1);
      return { partition, offset };
    });
  }

  async appendInOrder(appends: readonly TopicRecords[]): Promise<void> {
    for (const { topic, records } of appends) await this.append(topic, records);
  }

  endOffsets(topic: Topic): Promise<readonly number[]> {
    return this.asked(`ends ${topic}`, () => this.broker.ends(topic));
  }

  async endOffset(topic: Topic, partition: number): Promise<number> {
    return endOf(await this.endOffsets(topic), topic, partition);
  }

  committedOffsets(topic: Topic, group: string): Promise<readonly number[]> {
    return this.asked(`committed ${topic} ${group}`, () => {
      const firsts = this.broker.firsts(topic);
      const { committed } = this.broker.group(topic, group);
      return committed.map((offset, i) => (offset === 0 ? firsts[i]! : offset));
    });
  }

  rewind(topic: Topic, name: string, offsets: readonly number[]): Promise<void> {
    return this.asked(`rewind ${topic} ${name}`, () => {
      const group = this.broker.group(topic, name);
      if (!group.isEmpty) throw new Error(`the group ${name} has a member`);
      for (const [partition, offset] of offsets.entries()) group.committed[partition] = offset;
    });
  }

  async consume(topic: Topic, group: string, handler: RecordHandler): Promise<Consumption> {
    const before = this.consumptions.get(group);
    if (before?.isStopped === false) throw new Error(`the group ${group} is consumed already`);
    await before?.leave();
    const id = `${this.actor.name}-${this.members++}`;
    const { broker, actor, timeoutMs } = this;
    const consumption = new SimulatedConsumption(
      broker,
      actor,
      topic,
      group,
      id,
      timeoutMs,
      handler,
    );
    this.consumptions.set(group, consumption);
    return consumption;
  }

  tail(
    topic: Topic,
    from: readonly number[],
    onRecords: (records: readonly LogRecord[]) => void,
  ): Promise<Tail> {
    const tail = new SimulatedTail(this.broker, this.actor, topic, from, onRecords);
    this.tails.push(tail);
    return Promise.resolve(tail);
  }

  async *read(
    topic: Topic,
    partition: number,
    from: number,
    to: number,
  ): AsyncIterable<readonly LogRecord[]> {
    const end = Math.min(to, await this.endOffset(topic, partition));
    for (let at = from; at < end;) {
      const most = Math.min(end - at, MOST_READ);
      const { records, next } = await this.asked(`read ${topic}/${partition}@${at}`, () =>
        this.broker.fetch(topic, partition, at, most),
      );
      const inside = records.filter(({ offset }) => offset < end);
      if (inside.length > 0) yield inside;
      at = next;
    }
  }

  maxRetentionMs(): Promise<number> {
    return Promise.resolve(this.broker.retentionMs);
  }

  async close(): Promise<void> {
    await Promise.all(this.tails.map((tail) => tail.stop()));
    await Promise.all([...this.consumptions.values()].map((each) => each.leave()));
    await Promise.all(this.lanes.values());
  }

  private submit(
    topic: Topic,
    partition: number,
    records: readonly RecordToAppend[],
  ): Promise<RecordPosition> {
    const lane = `${topic}/${partition}`;
    const what = `append ${lane}: ${records.map(described).join(', ')}`;
    // Copied once: a stored record never changes, even when its original memory is reused.
    let sent: readonly RecordToAppend[] | undefined;
    const append = (): RecordPosition => {
      sent ??= records.map((record) => ({ ...record, value: Buffer.from(record.value) }));
      return this.broker.append(topic, partition, sent);
    };
    const appended = (this.lanes.get(lane) ?? Promise.resolve()).then(() =>
      this.asked(what, append),
    );
    this.lanes.set(
      lane,
      appended.catch(() => undefined),
    );
    return appended;
  }

  private async asked<T>(what: string, act: () => T): Promise<T> {
    try {
      return await this.broker.ask(this.actor, what, act);
    } catch (error) {
      if (!(error instanceof NoAnswerError)) throw error;
      throw new LogUnavailableError(error.message);
    }
  }
}

function described({ key, headers: { type = '', sequence = '' }, value }: RecordToAppend): string {
  return `${key.slice(-6)} ${type}${sequence} ${value.length}B`;
}
