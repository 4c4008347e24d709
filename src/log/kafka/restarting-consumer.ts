import kafkajs, { type Consumer, type EachBatchPayload } from 'kafkajs';
import { Backoff } from '../../domain/retry.js';
import type { Logger } from '../../ops/logger.js';
import { logErrors, logRefusals } from '../../ops/metrics.js';
import { reasonOf, refusal, unreadable } from './failure.js';
import { type ConsumerOptions, startConsumer } from './group-consumer.js';

const FIRST_RESTART_MS = 500;

export interface RestartingOptions extends ConsumerOptions {
  readonly logger: Logger;
}

export interface MemberEvents {
  /** From now on all partitions may belong to others. */
  revoked(): void;
  joined(partitions: readonly number[]): void;
  take(payload: EachBatchPayload): Promise<void>;
  /** Waiting does not help. */
  onFailure(error: Error): void;
}

/**
 * A member of a group. When the kafkajs consumer crashes it is replaced by a new one, however
 * often: brokers that are away come back, and rights that were taken away are given back.
 */
export class RestartingConsumer {
  private consumer: Consumer | undefined;
  private readonly backoff = new Backoff(FIRST_RESTART_MS);
  private left: Promise<void> | undefined;

  constructor(
    private readonly options: RestartingOptions,
    private readonly events: MemberEvents,
  ) {
    this.start();
  }

  /** @param partitions of the topic; undefined: all */
  pause(partitions: number[] | undefined): void {
    const { topic } = this.options;
    const all = partitions === undefined ? { topic } : { topic, partitions };
    whileRunning(() => this.consumer?.pause([all]));
  }

  resume(partition: number): void {
    const { topic } = this.options;
    whileRunning(() => this.consumer?.resume([{ topic, partitions: [partition] }]));
  }

  /** The next fetch asks for `offset`; kafkajs drops answers that come before it. */
  seek(partition: number, offset: number): void {
    const { topic } = this.options;
    whileRunning(() => this.consumer?.seek({ topic, partition, offset: `${offset}` }));
  }

  /** Starts no further consumer. Gives the partitions to the others when `done` has resolved. */
  leave(done: Promise<void>): Promise<void> {
    this.left ??= done.then(async () => {
      this.events.revoked();
      await this.consumer?.disconnect().catch(() => undefined);
    });
    return this.left;
  }

  private start(): void {
    const { events } = this;
    const consumer = startConsumer(this.options, {
      joining: () => {
        if (this.consumer === consumer) events.revoked();
      },
      joined: (partitions) => {
        if (this.consumer !== consumer) return;
        this.backoff.reset();
        events.joined(partitions);
      },
      crashed: (error) => {
        this.crashed(consumer, error);
      },
      take: (payload) => events.take(payload),
    });
    this.consumer = consumer;
  }

  private crashed(consumer: Consumer, error: unknown): void {
    if (this.consumer !== consumer || this.left !== undefined) return;
    this.events.revoked();
    this.consumer = undefined;
    void consumer.disconnect().catch(() => undefined);
    logErrors.inc({ operation: 'consume' });
    const lasting = unreadable(error);
    if (lasting !== undefined) {
      this.events.onFailure(new Error(lasting, { cause: error }));
      return;
    }
    const refused = refusal(error);
    if (refused !== undefined) logRefusals.inc({ operation: 'consume' });
    const { topic, group, logger } = this.options;
    logger.warn(
      { topic, group, reason: refused ?? reasonOf(error) },
      'consumer lost the brokers, joins again',
    );
    setTimeout(() => {
      if (this.left === undefined) this.start();
    }, this.backoff.next()).unref();
  }
}

/** A crashed consumer has nothing to pause; the next one begins with all partitions. */
function whileRunning(act: () => void): void {
  try {
    act();
  } catch (error) {
    if (!(error instanceof kafkajs.KafkaJSNonRetriableError)) throw error;
  }
}
