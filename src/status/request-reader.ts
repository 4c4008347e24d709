import type {
  AcceptanceFence,
  LookupResult,
  RequestLookup,
} from '../domain/requests/request-lookup.js';
import { furtherOf, type Transition } from '../domain/requests/transition.js';
import { LogUnavailableError } from '../log/upload-log.js';
import type { RequestHistory } from './history.js';
import type { StatusTail } from './status-tail.js';
import type { StatusView } from './status-view.js';

/**
 * Answers what is known of a request, from the live view first and then from the history.
 *
 * "Unknown" is said only when both have been asked and cover the request's time.
 */
export class RequestReader implements RequestLookup, AcceptanceFence {
  private fence: Promise<void> | undefined;
  private nextFence: Promise<void> | undefined;

  constructor(
    private readonly view: StatusView,
    private readonly tail: StatusTail,
    private readonly history: RequestHistory,
    private readonly timeoutMs: number,
  ) {}

  async find(requestId: string): Promise<LookupResult> {
    const id = requestId.toLowerCase();
    const seen = this.seen(id);
    if (seen !== undefined) return seen;
    try {
      // A request that another gateway has just created may be on its way here.
      await this.caughtUp();
      return this.seen(id) ?? (await this.findInHistory(id));
    } catch (error) {
      if (!(error instanceof LogUnavailableError)) throw error;
      return this.view.get(id)?.transition ?? 'unavailable';
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

  /**
   * The request's state, where the view alone is sure of it. Of a request that it has not seen from
   * the beginning it may have a replay only, which tells a state again at a later time.
   */
  private seen(id: string): Transition | undefined {
    const viewed = this.view.get(id);
    return viewed?.sinceCreation === true ? viewed.transition : undefined;
  }

  private async findInHistory(id: string): Promise<LookupResult> {
    const live = this.view.get(id)?.transition;
    let written: Transition | undefined;
    try {
      written = await this.history.find(id);
    } catch {
      // The warehouse is away: what the view has is the best answer, and having none is no answer.
      return live ?? 'unavailable';
    }
    if (written !== undefined) return live === undefined ? written : furtherOf(written, live);
    if (live !== undefined) return live;
    return this.view.isCoveredBy(await this.tail.historyOffsets()) ? 'unknown' : 'unavailable';
  }
}
