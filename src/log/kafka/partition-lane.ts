import { Backoff, sleep } from '../../domain/retry.js';
import { logRefusals } from '../../ops/metrics.js';
import { LogUnavailableError, type RecordToAppend } from '../upload-log.js';
import { refusal, rootOf, unavailable } from './failure.js';
import { NOT_TAKEN } from './record-producer.js';

/** What is gathered into one request; a single larger record still goes alone. */
const BATCH_BYTES = 1024 * 1024;
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 500;

/** Records of one append that go to one partition. */
export interface LaneEntry {
  readonly records: readonly RecordToAppend[];
  readonly bytes: number;
  /** Whether somebody still waits for it. */
  isOpen: boolean;
  /** @param offset of the first record; the others follow it */
  resolve(offset: number): void;
  reject(error: Error): void;
}

/**
 * The way to one partition: one request at a time, into which everything goes that came while the
 * one before was under way. kafkajs sends each call as a request of its own; gathering is what
 * makes many small appends cheap. One at a time also keeps the order when a request is repeated.
 */
export class PartitionLane {
  private waiting: LaneEntry[] = [];
  private running: Promise<void> | undefined;

  /**
   * @param send resolves with the offset of the first record once all replicas have them
   * @param left called with each entry that is no longer held here
   */
  constructor(
    private readonly send: (records: readonly RecordToAppend[]) => Promise<number>,
    private readonly left: (entry: LaneEntry) => void,
  ) {}

  add(entry: LaneEntry): void {
    this.waiting.push(entry);
    this.running ??= this.run();
  }

  /** Nobody waits for it any more: takes back what has not been sent. */
  drop(entry: LaneEntry): void {
    entry.isOpen = false;
    const place = this.waiting.indexOf(entry);
    if (place < 0) return;
    this.waiting.splice(place, 1);
    this.left(entry);
  }

  /** Resolves when nothing is waiting or under way. */
  async idle(): Promise<void> {
    await this.running;
  }

  private async run(): Promise<void> {
    // What is appended in the same turn of the event loop is to share the first request.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.waiting.length > 0) {
      const batch = this.nextBatch();
      await this.deliver(batch);
      for (const entry of batch) this.left(entry);
    }
    this.running = undefined;
  }

  private nextBatch(): LaneEntry[] {
    let count = 0;
    let bytes = 0;
    do {
      bytes += this.waiting[count]!.bytes;
      count++;
    } while (count < this.waiting.length && bytes + this.waiting[count]!.bytes <= BATCH_BYTES);
    return this.waiting.splice(0, count);
  }

  /** Repeats the request as long as somebody waits for it. A repetition may write records twice. */
  private async deliver(batch: readonly LaneEntry[]): Promise<void> {
    let open = batch;
    const backoff = new Backoff(FIRST_PAUSE_MS, LONGEST_PAUSE_MS);
    for (;;) {
      open = open.filter((entry) => entry.isOpen);
      if (open.length === 0) return;
      try {
        let offset = await this.send(open.flatMap(({ records }) => records));
        for (const entry of open) {
          entry.resolve(offset);
          offset += entry.records.length;
        }
        return;
      } catch (error) {
        const lasting = lastingOf(error);
        if (lasting !== undefined) {
          for (const entry of open) entry.reject(lasting);
          return;
        }
      }
      await sleep(backoff.next());
    }
  }
}

/** How to reject for an error that does not pass, however often the request is repeated. */
function lastingOf(error: unknown): LogUnavailableError | undefined {
  if (error instanceof LogUnavailableError) return error;
  const isRefused = refusal(error) !== undefined;
  if (isRefused) logRefusals.inc({ operation: 'append' });
  const { type, retriable } = rootOf(error);
  const isLasting = isRefused || (type !== undefined && retriable !== true);
  return isLasting ? unavailable(NOT_TAKEN, error) : undefined;
}
