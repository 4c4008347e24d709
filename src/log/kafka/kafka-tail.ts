import { Failure } from '../../domain/failure.js';
import { inTime } from '../../domain/in-time.js';
import { Backoff, sleep } from '../../domain/retry.js';
import type { Logger } from '../../ops/logger.js';
import { logErrors, logRefusals } from '../../ops/metrics.js';
import {
  LogUnavailableError,
  type LogRecord,
  type RecordPosition,
  type Tail,
} from '../upload-log.js';
import { TailWaiters } from '../tail-waiters.js';
import type { DirectReader, Fetched } from './direct-reader.js';
import { outOfRange, reasonOf, refusal, unreadable } from './failure.js';
import { RecordDecoder } from './log-record.js';
import { RareLine } from '../../ops/rare-line.js';

const FETCH_BYTES = 4 * 1024 * 1024;
/** How long a broker holds a request without records; new records answer it at once. */
const WAIT_MS = 500;
const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 1_000;
/** Longer than all that kafkajs may try. An answer that is lost must not stop the tail. */
const STUCK_MS = 60_000;
/** Changes of leaders pass within this time. */
const QUIET_MS = 20_000;

interface TailedPartition {
  readonly decoder: RecordDecoder;
  next: number;
}

/**
 * Follows every partition of a topic, added ones too, without a group. A loop for each broker asks
 * for all partitions that the broker leads: it answers the requests of a connection one after the
 * other, so a request for an idle partition alone would hold up the others.
 */
export class KafkaTail implements Tail {
  /** Resolves when nothing runs any more; never rejects. */
  readonly ended: Promise<void>;
  private readonly failure = new Failure();
  readonly failed = this.failure.promise;
  private readonly partitions: TailedPartition[] = [];
  private readonly loops = new Map<string, Promise<void>>();
  private readonly waiting = new TailWaiters((offsets) => this.isAt(offsets));
  private isStopped = false;
  private readonly refusals = new RareLine();
  private readonly failures = new RareLine();
  private wasEnded!: () => void;

  /**
   * @param reader of its own: its requests wait for records
   * @param topic the full name
   * @param from by partition; 0 where none is given
   */
  constructor(
    private readonly reader: DirectReader,
    private readonly topic: string,
    private readonly from: readonly number[],
    private readonly onRecords: (records: readonly LogRecord[]) => void,
    private readonly logger: Logger,
  ) {
    this.ended = new Promise((resolve) => (this.wasEnded = resolve));
    this.notice();
  }

  async reached(offsets: readonly number[], timeoutMs: number): Promise<void> {
    // The caller knows a partition that is not followed here yet.
    if (offsets.length > this.partitions.length) void this.refresh();
    await this.waiting.reached(offsets, timeoutMs);
  }

  async stop(): Promise<void> {
    await this.end(new LogUnavailableError('the tail of the log was stopped'));
  }

  /** Begins to follow new partitions, and brokers that lead some now. */
  private notice(): void {
    if (this.isStopped) return;
    for (let i = this.partitions.length; i < this.reader.partitions(this.topic); i++) {
      this.partitions.push({ decoder: new RecordDecoder(i), next: this.from[i] ?? 0 });
    }
    for (const node of this.reader.leaders(this.topic).keys()) {
      if (!this.loops.has(node)) this.loops.set(node, this.follow(node));
    }
  }

  private async refresh(): Promise<void> {
    // It would connect again.
    if (this.isStopped) return;
    try {
      await this.reader.refresh();
      this.notice();
    } catch {
      // The loops go on asking, and refresh again.
    }
  }

  /** Asks one broker until it leads nothing any more. */
  private async follow(node: string): Promise<void> {
    const backoff = new Backoff(FIRST_PAUSE_MS, LONGEST_PAUSE_MS);
    let leads = true;
    let askedSince = performance.now();
    while (leads && !this.isStopped) {
      try {
        leads = await inTime(this.ask(node), STUCK_MS, () => {
          throw new Error(`no answer within ${STUCK_MS} ms`);
        });
        askedSince = performance.now();
        backoff.reset();
      } catch (error) {
        if (performance.now() - askedSince > QUIET_MS) this.noteFailure(node, error);
        await inTime(this.recover(error, backoff), STUCK_MS, () => undefined);
      }
    }
    this.loops.delete(node);
  }

  /** Asks the broker once. Returns whether it leads a partition. */
  private async ask(node: string): Promise<boolean> {
    await this.reader.refreshIfOld();
    this.notice();
    const led = this.reader.leaders(this.topic).get(node) ?? [];
    if (led.length === 0) return false;
    const places = led.map((partition) => ({
      partition,
      offset: this.partitions[partition]!.next,
    }));
    const fetched = await this.reader.fetch(node, this.topic, places, FETCH_BYTES, WAIT_MS);
    this.handOver(places, fetched);
    return true;
  }

  private handOver(places: readonly RecordPosition[], fetched: readonly Fetched[]): void {
    if (this.isStopped) return;
    for (const { partition, messages } of fetched) {
      const state = this.partitions[partition]!;
      // While a partition changes its leader, two brokers may be asked for it.
      if (places.find((place) => place.partition === partition)?.offset !== state.next) continue;
      const records = state.decoder.decode(messages, state.next);
      const last = records.at(-1);
      if (last === undefined) continue;
      try {
        this.onRecords(records);
      } catch (cause) {
        this.fail(cause);
        return;
      }
      state.next = last.offset + 1;
    }
    this.waiting.advanced();
  }

  private async recover(error: unknown, backoff: Backoff): Promise<void> {
    if (this.isStopped) return;
    const partition = outOfRange(error);
    try {
      if (partition !== undefined) {
        const state = this.partitions[partition]!;
        const { next } = state;
        const there = await this.reader.realigned(this.topic, partition, next);
        // Meanwhile the new leader may have been read further.
        if (state.next !== next) return;
        if (there !== next) {
          state.next = there;
          this.waiting.advanced();
          return;
        }
      }
      const lasting = unreadable(error);
      if (lasting !== undefined) {
        this.fail(new Error(lasting, { cause: error }));
        return;
      }
      this.noteRefusal(error);
      await sleep(backoff.next());
      await this.refresh();
    } catch {
      await sleep(backoff.next());
    }
  }

  private noteRefusal(error: unknown): void {
    const reason = refusal(error);
    if (reason === undefined) return;
    logRefusals.inc({ operation: 'tail' });
    this.refusals.write(() => {
      const { logger, topic } = this;
      logger.warn({ topic, reason }, 'the brokers refuse to be read, asking again');
    });
  }

  private noteFailure(broker: string, error: unknown): void {
    this.failures.write(() => {
      const { logger, topic } = this;
      logger.warn(
        { topic, broker, reason: reasonOf(error) },
        'the tail has no answer of a broker, asking again',
      );
    });
  }

  private fail(cause: unknown): void {
    logErrors.inc({ operation: 'tail' });
    this.failure.report(cause);
    void this.end(new LogUnavailableError('the tail of the log cannot go on', { cause }));
  }

  private isAt(offsets: readonly number[]): boolean {
    return offsets.every((offset, i) => (this.partitions[i]?.next ?? 0) >= offset);
  }

  private async end(reason: Error): Promise<void> {
    this.isStopped = true;
    this.waiting.end(reason);
    // A request under way is not waited for: its records are no longer handed over.
    await this.reader.disconnect().catch(() => undefined);
    this.wasEnded();
  }
}
