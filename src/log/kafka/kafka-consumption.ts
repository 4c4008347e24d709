import { setTimeout as sleep } from 'node:timers/promises';
import kafkajs, { type Consumer, type EachBatchPayload } from 'kafkajs';
import type { Logger } from '../../ops/logger.js';
import { logErrors } from '../../ops/metrics.js';
import type { Consumption, RecordHandler } from '../upload-log.js';
import { Assignment } from './assignment.js';
import { KafkaSetupError, reasonOf, setupFault } from './failure.js';
import { type ConsumerOptions, startConsumer } from './group-consumer.js';
import { inTime } from './in-time.js';

/**
 * How long a batch may hold up the fetching from its broker. A handler that takes longer has its
 * partition set aside until it is through: kafkajs fetches the other partitions, and sends the
 * heartbeats, between batches only.
 */
const PATIENCE_MS = 100;
const FIRST_RESTART_MS = 500;
const LONGEST_RESTART_MS = 5_000;

export interface ConsumptionOptions extends ConsumerOptions {
  /** How long commits go on trying after `stop`. */
  readonly timeoutMs: number;
  /** By partition: where a consumer of the group begins. */
  readonly committed: () => Promise<readonly number[]>;
  readonly logger: Logger;
}

/**
 * One member of a consumer group.
 *
 * The loop of kafkajs is kept short: a batch is handed to the handler, and fetching goes on while
 * the handler's promise is pending, with the partition set aside. So heartbeats come in time
 * however slow the handler is, and a rebalance need not wait for it. kafkajs remembers how far it
 * has fetched, never how far it has committed; commits are the handler's alone.
 *
 * When the consumer of kafkajs crashes, it is replaced by a new one, unless waiting cannot help.
 */
export class KafkaConsumption implements Consumption {
  readonly failed: Promise<never>;
  private readonly assignments = new Map<number, Assignment>();
  /** By partition: handler calls that outlive their assignment; the next one waits for them. */
  private readonly lastCalls = new Map<number, Promise<void>>();
  /** By partition: the offset behind what has been handed over at any time. */
  private readonly handed = new Map<number, number>();
  private consumer: Consumer | undefined;
  private restartMs = FIRST_RESTART_MS;
  /** Hands over nothing more. */
  isStopped = false;
  private patientUntil = Infinity;
  private left: Promise<void> | undefined;
  private reject: (error: Error) => void = () => undefined;

  constructor(
    private readonly options: ConsumptionOptions,
    private readonly handler: RecordHandler,
  ) {
    this.failed = new Promise<never>((_, reject) => (this.reject = reject));
    // Whoever consumes may look at it later, or never.
    this.failed.catch(() => undefined);
    this.start();
  }

  /** @throws RangeError ahead of what was handed over */
  async commit(partition: number, offset: number): Promise<void> {
    if (offset > (this.handed.get(partition) ?? 0)) {
      throw new RangeError(`offset ${offset} of partition ${partition} was not handed over`);
    }
    await this.assignments.get(partition)?.commit(offset, () => Date.now() < this.patientUntil);
  }

  /** The member stays in the group, and commits, until `leave`. */
  async stop(): Promise<void> {
    this.isStopped = true;
    this.patientUntil = Math.min(this.patientUntil, Date.now() + this.options.timeoutMs);
    this.pauseFetching(undefined);
    await Promise.all(this.calls());
  }

  /** Stops and gives the partitions to the others. */
  leave(): Promise<void> {
    this.left ??= this.stop().then(async () => {
      this.revokeAll();
      await this.consumer?.disconnect().catch(() => undefined);
    });
    return this.left;
  }

  private start(): void {
    const consumer = startConsumer(this.options, {
      joining: () => {
        if (this.consumer === consumer) this.revokeAll();
      },
      joined: (partitions) => {
        if (this.consumer === consumer) this.joined(partitions);
      },
      crashed: (error) => {
        this.crashed(consumer, error);
      },
      take: (payload) => this.take(payload),
    });
    this.consumer = consumer;
  }

  private joined(partitions: readonly number[]): void {
    this.revokeAll();
    this.restartMs = FIRST_RESTART_MS;
    if (this.isStopped) return;
    const offsets = this.beginnings();
    for (const partition of partitions) {
      const assignment = new Assignment(
        this.options.topic,
        partition,
        this.handler,
        (error) => void this.fail(error),
      );
      this.assignments.set(partition, assignment);
      assignment.call = this.begin(assignment, offsets);
      // kafkajs keeps a partition paused that has been away and comes back.
      this.fetchAgain(assignment);
    }
  }

  private async begin(
    assignment: Assignment,
    beginnings: Promise<readonly number[]>,
  ): Promise<void> {
    await this.lastCalls.get(assignment.partition);
    const offsets = await beginnings;
    if (assignment.isRevoked || this.isStopped) return;
    assignment.begin(offsets[assignment.partition] ?? 0);
    this.note(assignment);
  }

  /** kafkajs has the same offsets, but does not tell them. */
  private async beginnings(): Promise<readonly number[]> {
    for (;;) {
      try {
        return await this.options.committed();
      } catch {
        if (this.isStopped) return [];
        await sleep(FIRST_RESTART_MS);
      }
    }
  }

  /** Takes a batch, or leaves it to be fetched again: `resolveOffset` is what moves kafkajs on. */
  private async take(payload: EachBatchPayload): Promise<void> {
    const { batch } = payload;
    const assignment = this.assignments.get(batch.partition);
    if (assignment === undefined) return;
    if (!(await this.isThrough(assignment))) return;
    if (assignment.isRevoked || this.isStopped) return;
    assignment.hand(payload);
    this.note(assignment);
    payload.resolveOffset(batch.lastOffset());
    await this.isThrough(assignment);
  }

  /** Whether the handler call is done soon; if not, the partition is set aside until it is. */
  private async isThrough(assignment: Assignment): Promise<boolean> {
    if (await inTime(assignment.call, PATIENCE_MS)) return true;
    if (!assignment.isSetAside) {
      assignment.isSetAside = true;
      this.pauseFetching([assignment.partition]);
      void assignment.call.then(() => {
        assignment.isSetAside = false;
        this.fetchAgain(assignment);
      });
    }
    return false;
  }

  private fetchAgain({ partition, isSetAside, isRevoked }: Assignment): void {
    if (isSetAside || isRevoked || this.isStopped) return;
    const { topic } = this.options;
    whileRunning(() => this.consumer?.resume([{ topic, partitions: [partition] }]));
  }

  private pauseFetching(partitions: number[] | undefined): void {
    const { topic } = this.options;
    const all = partitions === undefined ? { topic } : { topic, partitions };
    whileRunning(() => this.consumer?.pause([all]));
  }

  private crashed(consumer: Consumer, error: unknown): void {
    if (this.consumer !== consumer || this.left !== undefined) return;
    this.revokeAll();
    this.consumer = undefined;
    void consumer.disconnect().catch(() => undefined);
    logErrors.inc({ operation: 'consume' });
    const fault = setupFault(error);
    if (fault !== undefined) {
      void this.fail(new KafkaSetupError(fault, { cause: error }));
      return;
    }
    const { topic, group, logger } = this.options;
    logger.warn(
      { topic, group, reason: reasonOf(error) },
      'consumer lost the brokers, joins again',
    );
    setTimeout(() => {
      if (this.left === undefined) this.start();
    }, this.restartMs).unref();
    this.restartMs = Math.min(this.restartMs * 2, LONGEST_RESTART_MS);
  }

  private async fail(error: unknown): Promise<void> {
    this.reject(error instanceof Error ? error : new Error(String(error)));
    await this.leave();
  }

  private revokeAll(): void {
    for (const [partition, assignment] of this.assignments) {
      this.lastCalls.set(partition, assignment.call);
      assignment.revoke(!this.isStopped);
    }
    this.assignments.clear();
  }

  private note({ partition, next }: Assignment): void {
    this.handed.set(partition, Math.max(next, this.handed.get(partition) ?? 0));
  }

  private calls(): Promise<void>[] {
    const current = Array.from(this.assignments.values(), ({ call }) => call);
    return [...current, ...this.lastCalls.values()];
  }
}

/** A consumer that has crashed has nothing to pause; the next one begins with all partitions. */
function whileRunning(act: () => void): void {
  try {
    act();
  } catch (error) {
    if (!(error instanceof kafkajs.KafkaJSNonRetriableError)) throw error;
  }
}
