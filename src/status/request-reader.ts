import type { AcceptanceFence, LookupResult, RequestLookup } from './request-lookup.js';
import { isFinal } from './status.js';
import { furtherOf, type Transition } from './transition.js';
import { LogUnavailableError } from '../log/upload-log.js';
import type { HistoryLookUps } from './history-lookups.js';
import type { StatusTail } from './status-tail.js';
import type { StatusView } from './status-view.js';

/**
 * Answers what is known of a request: from the live view where it is sure to lack nothing, else from
 * the view and the history together.
 *
 * "Unknown" is said only when both have been asked and cover the request's time. While one of them
 * does not answer, only a final state is sure to be the last word: any other may be older than what
 * was told before, and a state never goes back.
 */
export class RequestReader implements RequestLookup, AcceptanceFence {
  private fence: Promise<void> | undefined;
  private nextFence: Promise<void> | undefined;

  constructor(
    private readonly view: StatusView,
    private readonly tail: StatusTail,
    private readonly history: Pick<HistoryLookUps, 'find'>,
    private readonly timeoutMs: number,
  ) {}

  async find(requestId: string): Promise<LookupResult> {
    const id = requestId.toLowerCase();
    const whole = this.view.whole(id);
    if (whole !== undefined) return whole;
    try {
      // A request that another gateway has just created may be on its way here.
      await this.caughtUp();
      return this.view.whole(id) ?? (await this.merged(id));
    } catch (error) {
      if (!(error instanceof LogUnavailableError)) throw error;
      return ifFinal(this.view.get(id)?.transition);
    }
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
   * One look at the log serves every caller that came before it began; those that come while it is
   * under way share the next one.
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

  private look(): Promise<void> {
    const look = this.tail.caughtUp(this.timeoutMs).finally(() => {
      if (this.fence === look) this.fence = undefined;
    });
    return look;
  }

  private async merged(id: string): Promise<LookupResult> {
    // In this order: what is written up to here is found.
    const isCovered =
      !this.view.hasForgotten || this.view.isCoveredBy(await this.tail.historyOffsets());
    let written: Transition | undefined;
    try {
      written = await this.history.find(id);
    } catch {
      return ifFinal(this.view.get(id)?.transition);
    }
    if (isCovered) return this.view.merge(id, written) ?? 'unknown';
    const live = this.view.get(id)?.transition;
    return ifFinal(live === undefined ? written : furtherOf(written, live));
  }
}

function ifFinal(transition: Transition | undefined): LookupResult {
  return transition !== undefined && isFinal(transition.status) ? transition : 'unavailable';
}
