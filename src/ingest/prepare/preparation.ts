import { reasonOfFile } from '../../csv/findings.js';
import type { Verdict } from '../../csv/verdict.js';
import { stageDuration } from '../../ops/metrics.js';
import { beginSpan, endSpan, SpanKind } from '../../ops/tracing.js';
import type { CompleteUpload, UploadInFlight } from '../upload-in-flight.js';
import type { Preparer, PrepareWork } from './prepare-pool.js';

/** The upload is invalid, for a reason; or preparing it throws, although it is alone and another file can be prepared. */
export type Unprepared =
  | { readonly valid: false; readonly reason: string; readonly error?: undefined }
  | { readonly valid: false; readonly error: Error };

export type PreparedOrFailed = Extract<Verdict, { valid: true }> | Unprepared;

/** An upload and whoever waits for its verdict. */
interface Waiting {
  readonly account: string;
  readonly upload: UploadInFlight;
  readonly resolve: (verdict: PreparedOrFailed) => void;
  readonly reject: (error: unknown) => void;
}

/** Every thread that works can prepare this. */
const PROBE: PrepareWork = {
  family: 'cost',
  parts: [],
  facts: { finding: null, requestDay: 0, integratedChannels: [] },
};

/**
 * Hands uploads to the preparing threads, accounts taking turns.
 *
 * An exception is blamed on the upload that was being prepared, the death of a thread on one of
 * those that it had. Each of them is prepared once more, alone. One that throws again is not
 * prepared a third time.
 */
export class Preparation {
  private readonly waiting = new AccountTurns<Waiting>();
  /** Uploads that have met an exception. */
  private readonly suspects: Waiting[] = [];
  private running = 0;
  private isSuspectRunning = false;

  /**
   * @param readAgain the file's parts, which were lost with the thread; undefined: the log has them
   * no longer
   * @param signal after an abort, an exception says nothing about the upload
   */
  constructor(
    private readonly preparer: Pick<Preparer, 'threads' | 'run'>,
    private readonly readAgain: (upload: UploadInFlight) => Promise<CompleteUpload['parts']>,
    private readonly signal: AbortSignal,
  ) {}

  /** Whether nothing waits and nothing is being prepared. */
  get isIdle(): boolean {
    return this.running === 0 && this.waiting.isEmpty && this.suspects.length === 0;
  }

  /**
   * @throws what is not the upload's fault: nothing can be prepared any more, or the log cannot be
   * read
   */
  prepare(upload: UploadInFlight): Promise<PreparedOrFailed> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ account: upload.account, upload, resolve, reject });
      this.pump();
    });
  }

  private pump(): void {
    // One task more than threads, so that no thread waits for its next.
    while (this.running <= this.preparer.threads && !this.isSuspectRunning) {
      if (this.suspects.length > 0) {
        if (this.running > 0) return;
        this.isSuspectRunning = true;
        void this.run(this.suspects.shift()!);
        return;
      }
      const next = this.waiting.next();
      if (next === undefined) return;
      void this.run(next);
    }
  }

  private async run(next: Waiting): Promise<void> {
    const { upload, resolve, reject } = next;
    const isSuspect = this.isSuspectRunning;
    this.running++;
    try {
      const verdict = await (isSuspect ? this.secondTry(upload) : this.firstTry(upload));
      if (verdict === undefined) this.suspects.push(next);
      else resolve(verdict);
    } catch (error) {
      reject(error);
    }
    this.running--;
    if (isSuspect) this.isSuspectRunning = false;
    // In the same turn: the threads have their next task before this one's result is used.
    this.pump();
  }

  /** Undefined: preparing threw. */
  private async firstTry(upload: UploadInFlight): Promise<Verdict | undefined> {
    try {
      return await this.verdictOf(upload, upload.parts);
    } catch (error) {
      if (this.signal.aborted) throw error;
      return undefined;
    }
  }

  private async secondTry(upload: UploadInFlight): Promise<PreparedOrFailed> {
    const parts = await this.readAgain(upload);
    try {
      return await this.verdictOf(upload, parts);
    } catch (error) {
      if (this.signal.aborted) throw error;
      // Rejects when nothing can be prepared any more, which is not an upload's fault.
      await this.preparer.run(PROBE);
      return { valid: false, error: error instanceof Error ? error : new Error('no error') };
    }
  }

  private async verdictOf(
    { family, end, span: parent }: UploadInFlight,
    parts: CompleteUpload['parts'],
  ): Promise<Verdict> {
    if (parts === undefined) {
      const reason = reasonOfFile('the upload is no longer in the log, send the file again');
      return { valid: false, reason };
    }
    const { finding, requestDay, integratedChannels } = end;
    const endTimer = stageDuration.startTimer({ stage: 'validate' });
    const span = beginSpan('validate', SpanKind.INTERNAL, parent);
    try {
      const facts = { finding, requestDay, integratedChannels };
      const verdict = await this.preparer.run({ family, parts, facts });
      endTimer();
      return verdict;
    } finally {
      endSpan(span);
    }
  }
}

/**
 * A queue in which accounts take turns: the next item is the oldest of the account that has waited
 * longest for its turn. So one account's thousand files do not starve another's single one.
 */
export class AccountTurns<Item extends { readonly account: string }> {
  /** Accounts in the order of their turns. */
  private readonly queues = new Map<string, Queue<Item>>();

  get isEmpty(): boolean {
    return this.queues.size === 0;
  }

  push(item: Item): void {
    const queue = this.queues.get(item.account) ?? new Queue();
    queue.push(item);
    this.queues.set(item.account, queue);
  }

  next(): Item | undefined {
    for (const [account, queue] of this.queues) {
      const item = queue.shift();
      // Deleting and setting again moves the account to the end of the Map's order.
      this.queues.delete(account);
      if (!queue.isEmpty) this.queues.set(account, queue);
      return item;
    }
    return undefined;
  }
}

/** Taking the first of an array moves all others: small files may wait by the ten thousand. */
class Queue<Item> {
  private readonly last: Item[] = [];
  /** In reverse order, all before `last`. */
  private first: Item[] = [];

  get isEmpty(): boolean {
    return this.first.length + this.last.length === 0;
  }

  push(item: Item): void {
    this.last.push(item);
  }

  shift(): Item | undefined {
    if (this.first.length === 0) this.first = this.last.splice(0).reverse();
    return this.first.pop();
  }
}
