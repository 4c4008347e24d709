import { EventEmitter } from 'node:events';

import type { ConsumerConfig, ConsumerRunConfig, EachBatchPayload, Kafka, Offsets } from 'kafkajs';

const events = { GROUP_JOIN: 'join', HEARTBEAT: 'heartbeat', CRASH: 'crash' } as const;

/**
 * A consumer group with one member, as a consumption sees it through kafkajs. Only `resolveOffset`
 * and `seek` move the fetch position. Every join resets it to the committed offset. A test delivers
 * the batches, in any order in which answers may arrive.
 */
export class FakeKafka {
  /** Committed offset of the group, by partition. */
  readonly committed: number[];
  /** Next offset to fetch, by partition. */
  readonly positions: number[] = [];
  readonly paused = new Set<number>();
  /** Number of consumers created. */
  made = 0;
  private emitter = new EventEmitter();
  private config!: ConsumerConfig;
  private running: ConsumerRunConfig | undefined;

  constructor(
    private readonly topic: string,
    partitions: number,
  ) {
    this.committed = Array.from({ length: partitions }, () => 0);
  }

  get kafka(): Kafka {
    return { consumer: (config: ConsumerConfig) => this.consumer(config) } as unknown as Kafka;
  }

  get isRunning(): boolean {
    return this.running !== undefined;
  }

  /** Asks to join again. */
  askToJoin(): void {
    const [assigner] = this.config.partitionAssigners!;
    assigner!({ cluster: {} as never, groupId: '', logger: {} as never }).protocol({
      topics: [this.topic],
    });
  }

  /** Rejoins, as a kafkajs fetcher does after it has asked a broker that no longer leads. */
  join(): void {
    this.askToJoin();
    this.positions.splice(0, Infinity, ...this.committed);
    const memberAssignment = { [this.topic]: [...this.committed.keys()] };
    this.emitter.emit(events.GROUP_JOIN, { payload: { memberAssignment } });
  }

  /** A heartbeat has succeeded. */
  heartbeat(): void {
    this.emitter.emit(events.HEARTBEAT, { payload: {} });
  }

  crash(error: Error): void {
    this.emitter.emit(events.CRASH, { payload: { error } });
  }

  /** Fetches from the current position. */
  fetch(partition: number, count: number): Promise<void> {
    return this.answer(partition, this.positions[partition]!, count);
  }

  /** Delivers the answer to a fetch from `asked`. `first` is higher when the log begins later. */
  async answer(partition: number, asked: number, count: number, first = asked): Promise<void> {
    if (this.paused.has(partition)) return;
    const messages = Array.from({ length: count }, (_, i) => ({
      offset: `${first + i}`,
      timestamp: '0',
      key: null,
      value: Buffer.from(`${first + i}`),
    }));
    await this.running!.eachBatch!({
      batch: {
        partition,
        fetchedOffset: `${asked}`,
        messages,
        lastOffset: () => `${first + count - 1}`,
      },
      resolveOffset: (offset: string) => (this.positions[partition] = Number(offset) + 1),
      commitOffsetsIfNecessary: ({ topics }: Offsets) => {
        for (const { partition: of, offset } of topics[0]!.partitions) {
          this.committed[of] = Number(offset);
        }
        return Promise.resolve();
      },
    } as unknown as EachBatchPayload);
  }

  private consumer(config: ConsumerConfig): object {
    this.made++;
    this.config = config;
    this.running = undefined;
    this.emitter = new EventEmitter();
    return {
      events,
      on: (event: string, listener: () => void) => this.emitter.on(event, listener),
      connect: () => Promise.resolve(),
      subscribe: () => Promise.resolve(),
      disconnect: () => Promise.resolve(),
      run: (running: ConsumerRunConfig) => {
        this.running = running;
        return Promise.resolve();
      },
      seek: ({ partition, offset }: { partition: number; offset: string }) => {
        this.positions[partition] = Number(offset);
      },
      pause: ([{ partitions }]: [{ partitions?: number[] }]) => {
        for (const each of partitions ?? this.committed.keys()) this.paused.add(each);
      },
      resume: ([{ partitions }]: [{ partitions: number[] }]) => {
        for (const each of partitions) this.paused.delete(each);
      },
    };
  }
}
