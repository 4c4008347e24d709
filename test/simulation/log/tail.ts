import { Failure } from '../../../src/domain/failure.js';
import {
  type LogRecord,
  LogUnavailableError,
  type Tail,
  type Topic,
} from '../../../src/log/upload-log.js';
import { TailWaiters } from '../../../src/log/tail-waiters.js';
import type { Actor } from '../time.js';
import type { Broker } from './broker.js';

const RETRY_MS = 200;
const MOST_RECORDS = 40;

/** Follows every partition independently, each at its own pace. */
export class SimulatedTail implements Tail {
  private readonly next: number[];
  private readonly waiting = new TailWaiters((offsets) =>
    offsets.every((offset, i) => this.next[i]! >= offset),
  );
  private readonly failure = new Failure();
  private isStopped = false;

  constructor(
    private readonly broker: Broker,
    private readonly actor: Actor,
    private readonly topic: Topic,
    from: readonly number[],
    private readonly onRecords: (records: readonly LogRecord[]) => void,
  ) {
    this.next = Array.from({ length: broker.partitions(topic) }, (_, i) => from[i] ?? 0);
    for (const partition of this.next.keys()) void this.follow(partition);
  }

  /** Rejects when the reader has thrown. */
  get failed(): Promise<never> {
    return this.failure.promise;
  }

  reached(offsets: readonly number[], timeoutMs: number): Promise<void> {
    return this.waiting.reached(offsets, timeoutMs);
  }

  stop(): Promise<void> {
    this.end(new LogUnavailableError('the tail of the log was stopped'));
    return Promise.resolve();
  }

  private async follow(partition: number): Promise<void> {
    const { broker, actor, topic } = this;
    const { random, time } = broker.network;
    while (!this.isStopped) {
      const next = this.next[partition]!;
      await new Promise<void>((resolve) => {
        broker.whenThere(topic, partition, next, actor, resolve);
      });
      const most = 1 + random.int(MOST_RECORDS);
      const fetched = await broker
        .ask(actor, `tail ${topic}/${partition}@${next}`, () =>
          broker.fetch(topic, partition, next, most),
        )
        .catch(() => undefined);
      if (fetched !== undefined) this.take(partition, fetched.records, fetched.next);
      else {
        await new Promise<void>((resolve) => {
          time.after(actor, RETRY_MS, resolve);
        });
      }
    }
  }

  private take(partition: number, records: readonly LogRecord[], next: number): void {
    if (this.isStopped) return;
    try {
      if (records.length > 0) this.onRecords(records);
    } catch (cause) {
      const error = new LogUnavailableError('the tail of the log cannot go on', { cause });
      this.failure.report(error);
      this.end(error);
      return;
    }
    this.next[partition] = next;
    this.waiting.advanced();
  }

  private end(reason: Error): void {
    this.isStopped = true;
    this.waiting.end(reason);
  }
}
