import type { EachBatchPayload } from 'kafkajs';
import { Backoff, sleep } from '../../domain/retry.js';
import { type LogRecord, LogUnavailableError, type RecordHandler } from '../upload-log.js';
import { reasonOf } from './failure.js';
import { RecordDecoder } from './log-record.js';

/** Between attempts to commit. Revocations and stops wait for it, so it does not grow. */
const PAUSE_MS = 200;

/**
 * One partition from its assignment to its revocation. When the group gives the partition back at
 * once, that is another assignment.
 */
export class Assignment {
  isRevoked = false;
  private hasBegun = false;
  /** Fetching goes on without this partition until `call` is done. */
  isSetAside = false;
  /** The handler call under way, or the last one; never rejects. */
  call: Promise<void> = Promise.resolve();
  private readonly decoder: RecordDecoder;
  /** Commits offsets as the member to which its batch was handed, once, without retries. */
  private payload: EachBatchPayload | undefined;
  /** The next offset to fetch: everything below it was handed over or is not in the log. */
  next = 0;

  constructor(
    readonly topic: string,
    readonly partition: number,
    private readonly handler: RecordHandler,
    private readonly onFailure: (error: unknown) => void,
  ) {
    this.decoder = new RecordDecoder(partition);
  }

  /** Tells the handler of the assignment and its first offset, before anything else. */
  begin(offset: number): void {
    this.next = offset;
    this.hasBegun = true;
    this.guard(() => {
      this.handler.assigned(this.partition, offset);
    });
  }

  revoke(notifies: boolean): void {
    this.isRevoked = true;
    if (!notifies || !this.hasBegun) return;
    this.guard(() => {
      this.handler.revoked(this.partition);
    });
  }

  /**
   * Begins a call of the handler with what was fetched at `next`; only when `call` has resolved.
   */
  hand(payload: EachBatchPayload): void {
    const { batch } = payload;
    this.payload = payload;
    const records: readonly LogRecord[] = this.decoder.decode(batch.messages, this.next);
    // Not always the last record's: markers of other producers' transactions take offsets too.
    this.next = Number(batch.lastOffset()) + 1;
    this.call = this.handler.records(this.partition, records).catch(this.onFailure);
  }

  /**
   * Resolves when the offset is committed, and also when the partition is revoked before: then its
   * next consumer decides where to begin. The member and its generation are read together with
   * `isRevoked`, in one turn of the event loop, so that nothing is committed for a partition of
   * another member.
   *
   * @param mayRetry whether to go on while the brokers are away
   * @throws LogUnavailableError
   */
  async commit(offset: number, mayRetry: () => boolean): Promise<void> {
    // Handed over before a rebalance and fetched again now: it will be committed then.
    if (offset > this.next) return;
    const partitions = [{ partition: this.partition, offset: String(offset) }];
    const backoff = new Backoff(PAUSE_MS, PAUSE_MS);
    while (!this.isRevoked && this.payload !== undefined) {
      try {
        const topics = [{ topic: this.topic, partitions }];
        await this.payload.commitOffsetsIfNecessary({ topics });
        return;
      } catch (cause) {
        // A rebalance ends in a revocation. A broker that is away ends in a new assignment or in
        // success.
        if (!mayRetry()) {
          throw new LogUnavailableError(`not committed: ${reasonOf(cause)}`, { cause });
        }
      }
      await sleep(backoff.next());
    }
  }

  private guard(tell: () => void): void {
    try {
      tell();
    } catch (error) {
      this.onFailure(error);
    }
  }
}
