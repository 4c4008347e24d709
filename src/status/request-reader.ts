import { randomBytes } from 'node:crypto';

import type { AcceptanceFence, LookupResult, RequestLookup } from './request-lookup.js';
import { furtherOf, type Transition } from './transition.js';
import { LogUnavailableError, type UploadLog } from '../log/upload-log.js';
import { HistoryLookUps } from './history-lookups.js';
import { StatusTail } from './status-tail.js';
import { StatusView } from './status-view.js';
import { inTime } from '../domain/in-time.js';
import { timeOfUuid } from '../domain/request-id.js';
import { VersionClock } from '../domain/version.js';
import type { Components } from '../ops/components.js';
import type { RequestStore } from './request-store.js';

/**
 * Answers what is known of a request: from the live view where the view is sure to be complete,
 * otherwise from view and history together.
 *
 * "Unknown" is answered only when both have been asked and cover the request's time. While one of
 * them does not answer, only `succeeded` can be given: any other state may be older than one given
 * before, and a state never goes back. There is one exception: a request that is older than the
 * retention of the history is "unknown" without a look, whether it has been deleted yet or not.
 */
export class RequestReader implements RequestLookup, AcceptanceFence {
  private fence: Promise<void> | undefined;
  private nextFence: Promise<void> | undefined;

  constructor(
    private readonly view: StatusView,
    private readonly tail: StatusTail,
    private readonly history: Pick<HistoryLookUps, 'find'>,
    private readonly timeoutMs: number,
    private readonly historyRetentionMs = Infinity,
  ) {}

  async find(requestId: string): Promise<LookupResult> {
    const id = requestId.toLowerCase();
    if (this.isPastRetention(id)) return 'unknown';
    const whole = this.view.whole(id);
    if (whole !== undefined) return whole;
    return inTime(this.ask(id), this.timeoutMs, () => this.seenHere(id));
  }

  remember(transition: Transition): void {
    this.view.apply(transition);
  }

  watch(
    requestId: string,
    known: Transition | undefined,
    changed: (transition: Transition) => void,
  ): () => void {
    return this.view.watch(requestId, known, changed);
  }

  /**
   * One look at the log serves every caller that came before it began. Later callers share the next
   * one.
   */
  caughtUp(): Promise<void> {
    if (this.fence === undefined) {
      this.fence = this.look();
      return this.fence;
    }
    this.nextFence ??= this.fence
      .catch(() => undefined)
      .then(() => {
        this.fence = this.look();
        this.nextFence = undefined;
        return this.fence;
      });
    return this.nextFence;
  }

  private async ask(id: string): Promise<LookupResult> {
    try {
      // A request that another gateway has just created may be on its way here.
      await this.caughtUp();
      return this.view.whole(id) ?? (await this.merged(id));
    } catch (error) {
      if (!(error instanceof LogUnavailableError)) throw error;
      return this.seenHere(id);
    }
  }

  private seenHere(id: string): LookupResult {
    return ifSucceeded(this.view.get(id)?.transition);
  }

  private isPastRetention(id: string): boolean {
    const createdAt = timeOfUuid(id) ?? Infinity;
    return createdAt < Date.now() - this.historyRetentionMs;
  }

  private look(): Promise<void> {
    const look = this.tail.caughtUp(this.timeoutMs).finally(() => {
      if (this.fence === look) this.fence = undefined;
    });
    return look;
  }

  private async merged(id: string): Promise<LookupResult> {
    // In this order: what is written up to here is found.
    const offsets = this.view.hasForgotten ? await this.tail.historyOffsets() : [];
    let written: Transition | undefined;
    try {
      written = await this.history.find(id);
    } catch {
      return this.seenHere(id);
    }
    // Only now: the view may have forgotten the request while the history was asked.
    if (this.view.isCoveredBy(offsets)) return this.view.merge(id, written) ?? 'unknown';
    const live = this.view.get(id)?.transition;
    return ifSucceeded(live === undefined ? written : furtherOf(written, live));
  }
}

/** A state that may be old. Nothing leaves `succeeded`, but a replay may store what has failed. */
function ifSucceeded(transition: Transition | undefined): LookupResult {
  return transition?.status === 'succeeded' ? transition : 'unavailable';
}

export interface RequestReaderDependencies {
  readonly log: UploadLog;
  readonly requests: RequestStore;
  /** How much memory the requests may take that are answered without the history. */
  readonly viewBytes: number;
  /** How long a read may take in all, and a look at the log. */
  readonly timeoutMs: number;
  /** Requests that are older are unknown. Undefined: however old they are, they are known. */
  readonly historyRetentionMs?: number | undefined;
  readonly components: Pick<Components, 'add'>;
}

export interface StartedReader {
  readonly reader: RequestReader;
  readonly tail: StatusTail;
  /** Above every version given before. */
  readonly clock: VersionClock;
}

/**
 * Starts what a gateway knows of requests. No version is given before every earlier one is known.
 *
 * @param ask asks the log or the warehouse; may wait and ask again
 * @throws LogUnavailableError, WarehouseError
 */
export async function startRequestReader(
  dependencies: RequestReaderDependencies,
  ask: <T>(question: () => Promise<T>) => Promise<T> = (question) => question(),
): Promise<StartedReader> {
  const { log, requests, viewBytes, timeoutMs, historyRetentionMs, components } = dependencies;
  const history = new HistoryLookUps((ids) => requests.statesOf(ids));
  const clock = new VersionClock(Date.now, () => randomBytes(8).readBigUInt64LE());
  const view = new StatusView(viewBytes);
  // 1. Follow the status topic, from where the history has been written.
  const tail = await ask(() => StatusTail.start(log, view, clock));
  components.add(tail);
  const reader = new RequestReader(view, tail, history, timeoutMs, historyRetentionMs);
  // 2. Read what is on the topic now.
  await ask(() => reader.caughtUp());
  // 3. Learn the highest version among records that the topic no longer has.
  const written = await ask(() => requests.highestVersion());
  clock.observe(written);
  view.mayLack(written.toString());
  return { reader, tail, clock };
}
