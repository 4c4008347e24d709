import kafkajs, {
  type Cluster,
  type Kafka,
  type KafkaMessage,
  type PartitionAssigner,
} from 'kafkajs';
import { inTime } from '../../domain/in-time.js';
import { Backoff, sleep } from '../../domain/retry.js';
import { logRefusals } from '../../ops/metrics.js';
import type { LogUnavailableError, RecordPosition } from '../upload-log.js';
import { QUICK_RETRIES } from './client.js';
import { refusal, unavailable, unreadable } from './failure.js';
import { coordinatorOf } from './group-coordinator.js';

const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 500;
const { KafkaJSError } = kafkajs;

export interface Fetched {
  readonly partition: number;
  /** May begin below the offset asked for; see `RecordDecoder`. */
  readonly messages: readonly KafkaMessage[];
}

interface FetchResponse {
  readonly responses: readonly { readonly partitions: readonly Fetched[] }[];
}

/**
 * Reads partitions and looks up offsets without a group.
 *
 * kafkajs reads through consumer groups only. A group for each process that follows a topic would
 * stay at the brokers after every process that is killed, and a rebalance of seconds would precede
 * its first record. The cluster object behind a consumer can fetch from any offset. It is handed to
 * partition assigners, and taken from there; no group is ever joined.
 */
export class DirectReader {
  private readonly cluster: Cluster;

  /** @param metadataMs how old the knowledge of partitions and their leaders may be */
  constructor(
    kafka: Kafka,
    private readonly timeoutMs: number,
    metadataMs: number,
  ) {
    let cluster: Cluster | undefined;
    const assigner: PartitionAssigner = (config) => {
      cluster = config.cluster;
      return kafkajs.PartitionAssigners.roundRobin(config);
    };
    kafka.consumer({
      groupId: 'never-joined',
      partitionAssigners: [assigner],
      metadataMaxAge: metadataMs,
      allowAutoTopicCreation: false,
      retry: QUICK_RETRIES,
    });
    this.cluster = cluster!;
  }

  /** @param topics the full names of all topics that will be read */
  async connect(topics: readonly string[]): Promise<void> {
    await this.cluster.connect();
    await this.cluster.addMultipleTargetTopics([...topics]);
  }

  async disconnect(): Promise<void> {
    await this.cluster.disconnect();
  }

  /** How many partitions the topic had when the metadata was last read. */
  partitions(topic: string): number {
    return this.cluster.findTopicPartitionMetadata(topic).length;
  }

  async refreshIfOld(): Promise<void> {
    await this.cluster.refreshMetadataIfNecessary();
  }

  async refresh(): Promise<void> {
    await this.cluster.refreshMetadata();
  }

  /**
   * By the id of the leading broker: the partitions of the topic. Those without a leader have -1, a
   * broker that is not found: asking it reads the metadata again.
   */
  leaders(topic: string): ReadonlyMap<string, readonly number[]> {
    const partitions = this.cluster
      .findTopicPartitionMetadata(topic)
      .map(({ partitionId }) => partitionId);
    return new Map(Object.entries(this.cluster.findLeaderForPartitions(topic, partitions)));
  }

  /**
   * The records behind each place, from one broker. Waits `waitMs` for records when there are none.
   *
   * @throws the error of kafkajs; `outOfRange` recognises the one about an offset
   */
  async fetch(
    node: string,
    topic: string,
    places: readonly RecordPosition[],
    bytes: number,
    waitMs: number,
  ): Promise<readonly Fetched[]> {
    const broker = await this.cluster.findBroker({ nodeId: node });
    const { responses } = (await broker.fetch({
      minBytes: 1,
      maxWaitTime: waitMs,
      maxBytes: bytes,
      topics: [
        {
          topic,
          partitions: places.map(({ partition, offset }) => ({
            partition,
            fetchOffset: String(offset),
            maxBytes: bytes,
          })),
        },
      ],
    })) as FetchResponse;
    return responses.flatMap(({ partitions }) => partitions);
  }

  /** Reads nothing. Throws the brokers' answer to a reader without rights. */
  async tryToRead(topic: string): Promise<void> {
    const offset = await this.offset(topic, 0, 'next');
    for (const [node, led] of this.leaders(topic)) {
      if (led.includes(0)) await this.fetch(node, topic, [{ partition: 0, offset }], 1, 0);
    }
  }

  /**
   * By partition: the offset of the first record still kept, or the one that the next record gets.
   *
   * Of every partition that the topic has now: another process may have noticed an added one
   * earlier and written to it.
   */
  async offsets(topic: string, which: 'first' | 'next'): Promise<number[]> {
    return this.retried(`the offsets of ${topic}`, async () => {
      const ask = (): Promise<number[]> =>
        this.ask(topic, which, [...Array(this.partitions(topic)).keys()]);
      const [offsets] = await Promise.all([ask(), this.refresh()]);
      return offsets.length === this.partitions(topic) ? offsets : ask();
    });
  }

  /**
   * That of one partition, which alone needs a leader.
   *
   * @throws LogUnavailableError also if the topic does not have it: it may have been added just now
   */
  async offset(topic: string, partition: number, which: 'first' | 'next'): Promise<number> {
    return this.retried(`the offset of ${topic}/${partition}`, async () => {
      const [offset] = await this.ask(topic, which, [partition]);
      return offset!;
    });
  }

  /**
   * Where to go on reading when a broker has said that `next` is out of range: at the first record
   * still kept, if `next` is not in the log. A former leader that follows now answers fetches too,
   * and says the same of records that it does not have yet: then `next` stays.
   *
   * @throws LogUnavailableError
   */
  async realigned(topic: string, partition: number, next: number): Promise<number> {
    const [first, end] = await Promise.all([
      this.offset(topic, partition, 'first'),
      this.offset(topic, partition, 'next'),
    ]);
    return next < first || next > end ? first : next;
  }

  /**
   * By partition: the group's committed offset; -1 where it has none.
   *
   * @param atLeast how many partitions the topic is known to have
   */
  async committed(topic: string, group: string, atLeast = 0): Promise<number[]> {
    return this.retried(`the offsets of ${group}`, async () => {
      if (atLeast > this.partitions(topic)) await this.refresh();
      const partitions = [...Array(this.partitions(topic)).keys()];
      if (atLeast > partitions.length)
        throw new KafkaJSError(`${topic} has no partition ${atLeast - 1}`);
      const coordinator = await coordinatorOf(this.cluster, group);
      const { responses } = await coordinator.offsetFetch({
        groupId: group,
        topics: [{ topic, partitions: partitions.map((partition) => ({ partition, offset: '' })) }],
      });
      const offsets = offsetsIn(responses[0]?.partitions ?? []);
      return partitions.map((partition) => offsets.get(partition) ?? -1);
    });
  }

  /**
   * Repeats what fails for a passing reason, with fresh metadata, until the timeout.
   *
   * @throws LogUnavailableError
   */
  async retried<T>(what: string, work: () => Promise<T>): Promise<T> {
    let late: LogUnavailableError | undefined;
    let last: unknown = new Error('no answer');
    const backoff = new Backoff(FIRST_PAUSE_MS, LONGEST_PAUSE_MS);
    const attempts = async (): Promise<T> => {
      for (;;) {
        try {
          return await work();
        } catch (error) {
          if (late !== undefined || !(error instanceof KafkaJSError)) throw error;
          const isRefused = refusal(error) !== undefined;
          if (isRefused) logRefusals.inc({ operation: 'read' });
          if (isRefused || unreadable(error) !== undefined) throw unavailable(what, error);
          last = error;
        }
        await sleep(backoff.next());
        await this.refresh().catch(() => undefined);
      }
    };
    return inTime(attempts(), this.timeoutMs, () => {
      late = unavailable(`${what}: nothing within ${this.timeoutMs} ms`, last);
      throw late;
    });
  }

  private async ask(
    topic: string,
    which: 'first' | 'next',
    partitions: readonly number[],
  ): Promise<number[]> {
    const asked = partitions.map((partition) => ({ partition }));
    const [answer] = await this.cluster.fetchTopicsOffset([
      { topic, partitions: asked, fromBeginning: which === 'first' },
    ]);
    const offsets = offsetsIn(answer?.partitions ?? []);
    return partitions.map((partition) => {
      const offset = offsets.get(partition);
      if (offset === undefined) throw new KafkaJSError(`${topic} has no partition ${partition}`);
      return offset;
    });
  }
}

/** By partition. */
function offsetsIn(
  answer: readonly { readonly partition: number; readonly offset: string }[],
): ReadonlyMap<number, number> {
  return new Map(answer.map(({ partition, offset }) => [partition, Number(offset)]));
}
