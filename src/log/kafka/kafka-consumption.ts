import type { EachBatchPayload } from 'kafkajs';
import type { Consumption, RecordHandler } from '../upload-log.js';
import { Assignment } from './assignment.js';
import { Failure } from '../../domain/failure.js';
import { inTime } from '../../domain/in-time.js';
import { Backoff, sleep } from '../../domain/retry.js';
import { RestartingConsumer, type RestartingOptions } from './restarting-consumer.js';

/**
 * How long a batch may hold up fetching from its broker. If a handler takes longer, its partition
 * is set aside until it is done: kafkajs fetches the other partitions and sends heartbeats only
 * between batches.
 */
const MOST_HELD_MS = 100;
const LONGEST_PAUSE_MS = 1_000;

export interface ConsumptionOptions extends RestartingOptions {
  /** How long commits are retried after `stop`. */
  readonly timeoutMs: number;
  /** Of at least so many partitions: the committed offset of the group; -1 where it has none. */
  readonly committed: (partitions: number) => Promise<readonly number[]>;
  /** Of a partition: the first record still kept, or the one that the next record gets. */
  readonly offset: (partition: number, which: 'first' | 'next') => Promise<number>;
}

/** Not declared by kafkajs: the offset that was asked for. */
type Batch = EachBatchPayload['batch'] & { readonly fetchedOffset: string };

/**
 * One member of a consumer group.
 *
 * The loop of kafkajs is kept short: a batch is handed to the handler, and fetching goes on while
 * the handler's promise is pending, with the partition set aside. So heartbeats are in time however
 * slow the handler is, and a rebalance need not wait for it. kafkajs remembers how far it has
 * fetched, never how far it has committed. Only the handler commits.
 */
export class KafkaConsumption implements Consumption {
  private readonly failure = new Failure();
  readonly failed = this.failure.promise;
  private readonly assignments = new Map<number, Assignment>();
  /**
   * By partition: handler calls that outlive their assignment. The next assignment waits for them.
   */
  private readonly lastCalls = new Map<number, Promise<void>>();
  /** By partition: the offset after the last record handed over. */
  private readonly handed = new Map<number, number>();
  private readonly consumer: RestartingConsumer;
  /** No further batch is handed over. */
  isStopped = false;
  private retryUntil = Infinity;
  private readonly mayRetry = (): boolean => Date.now() < this.retryUntil;
  private readonly fail = (error: unknown): void => {
    this.failure.report(error);
    void this.leave();
  };

  constructor(
    private readonly options: ConsumptionOptions,
    private readonly handler: RecordHandler,
  ) {
    this.consumer = new RestartingConsumer(options, {
      revoked: () => {
        for (const assignment of this.assignments.values()) this.revoke(assignment);
      },
      joined: (partitions) => {
        this.joined(partitions);
      },
      take: (payload) => this.take(payload),
      onFailure: this.fail,
    });
  }

  /** @throws RangeError for an offset beyond what was handed over */
  async commit(partition: number, offset: number): Promise<void> {
    if (offset > (this.handed.get(partition) ?? 0)) {
      throw new RangeError(`offset ${offset} of partition ${partition} was not handed over`);
    }
    await this.assignments.get(partition)?.commit(offset, this.mayRetry);
  }

  /** The member stays in the group, and may commit, until `leave`. */
  async stop(): Promise<void> {
    this.isStopped = true;
    this.retryUntil = Math.min(this.retryUntil, Date.now() + this.options.timeoutMs);
    this.consumer.pause(undefined);
    await Promise.all(this.calls());
  }

  /** Stops and gives the partitions to the others. */
  leave(): Promise<void> {
    return this.consumer.leave(this.stop());
  }

  private joined(partitions: readonly number[]): void {
    for (const assignment of this.assignments.values()) this.revoke(assignment);
    if (this.isStopped) return;
    // kafkajs knows the same offsets, but does not tell them.
    const committed = this.answered(() => this.options.committed(1 + Math.max(...partitions)));
    for (const partition of partitions) {
      this.assign(
        partition,
        committed.then((offsets) => offsets?.[partition] ?? -1),
      );
    }
  }

  /** @param committed -1: the group begins at the first record that is kept */
  private assign(partition: number, committed: Promise<number>): void {
    const assignment = new Assignment(this.options.topic, partition, this.handler, this.fail);
    this.assignments.set(partition, assignment);
    assignment.call = this.begin(assignment, committed);
    // kafkajs keeps a paused partition paused when it was away and comes back.
    this.fetchAgain(assignment);
  }

  private async begin(assignment: Assignment, committed: Promise<number>): Promise<void> {
    const { partition } = assignment;
    await this.lastCalls.get(partition);
    const known = await committed;
    const first = (): Promise<number> => this.options.offset(partition, 'first');
    const offset = known >= 0 ? known : await this.answered(first, assignment);
    if (offset === undefined || assignment.isRevoked || this.isStopped) return;
    assignment.begin(offset);
    this.note(assignment);
  }

  private revoke(assignment: Assignment): void {
    const { partition, call } = assignment;
    this.assignments.delete(partition);
    this.lastCalls.set(partition, call);
    assignment.revoke(!this.isStopped);
  }

  /** Asks until there is an answer; undefined after `stop`, and for what is not assigned any more. */
  private async answered<T>(
    ask: () => Promise<T>,
    assignment?: Assignment,
  ): Promise<T | undefined> {
    const backoff = new Backoff(undefined, LONGEST_PAUSE_MS);
    while (!this.isStopped && assignment?.isRevoked !== true) {
      try {
        return await ask();
      } catch {
        await sleep(backoff.next());
      }
    }
    return undefined;
  }

  /** Takes a batch, or leaves it to be fetched again: only `resolveOffset` moves kafkajs on. */
  private async take(payload: EachBatchPayload): Promise<void> {
    const batch = payload.batch as Batch;
    const assignment = this.assignments.get(batch.partition);
    if (assignment === undefined) return;
    if (!(await this.isThrough(assignment))) return;
    if (assignment.isRevoked || this.isStopped) return;
    const asked = Number(batch.fetchedOffset);
    if (asked === assignment.next) {
      assignment.hand(payload);
      this.note(assignment);
      payload.resolveOffset(batch.lastOffset());
    } else {
      assignment.call = this.realign(assignment, asked);
    }
    await this.isThrough(assignment);
  }

  /**
   * Fetches from the right place again after a batch that was asked for at another.
   *
   * kafkajs has a fetcher for each broker. When one of them meets a broker that leads no longer, it
   * rejoins the group, and responses to the other fetchers from before are handed over after the
   * rejoin. If they were taken, the group would move past records that were not committed. Or a
   * broker has said that the offset is not in the log, and kafkajs has gone to the first record. A
   * former leader that is behind says so too: then `next` stays.
   */
  private async realign(assignment: Assignment, asked: number): Promise<void> {
    const { partition, next } = assignment;
    const { offset } = this.options;
    const known = await this.answered(
      () => Promise.all([offset(partition, 'first'), offset(partition, 'next')]),
      assignment,
    );
    if (known === undefined || assignment.isRevoked) return;
    const [first, end] = known;
    const isLost = next > end && asked === first;
    if (isLost) {
      // The log was made anew or has lost its end: nothing known about it holds.
      this.revoke(assignment);
      this.assign(partition, Promise.resolve(first));
    } else if (next < first) {
      // Retention has deleted the records before it.
      assignment.next = first;
    }
    this.consumer.seek(partition, isLost ? first : assignment.next);
  }

  /** Whether the handler call is done soon; if not, the partition is set aside until it is. */
  private async isThrough(assignment: Assignment): Promise<boolean> {
    const isDone = assignment.call.then(() => true);
    if (await inTime(isDone, MOST_HELD_MS, () => false)) return true;
    // The partition may be back by now, in another assignment: it is not this one's to pause.
    if (!assignment.isSetAside && !assignment.isRevoked) {
      assignment.isSetAside = true;
      this.consumer.pause([assignment.partition]);
      void assignment.call.then(() => {
        assignment.isSetAside = false;
        this.fetchAgain(assignment);
      });
    }
    return false;
  }

  private fetchAgain({ partition, isSetAside, isRevoked }: Assignment): void {
    if (isSetAside || isRevoked || this.isStopped) return;
    this.consumer.resume(partition);
  }

  private note({ partition, next }: Assignment): void {
    this.handed.set(partition, Math.max(next, this.handed.get(partition) ?? 0));
  }

  private calls(): Promise<void>[] {
    const current = Array.from(this.assignments.values(), ({ call }) => call);
    return [...current, ...this.lastCalls.values()];
  }
}
