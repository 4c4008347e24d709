import type { Transition } from './transition.js';

/** Requests of one query: some 4 KiB of ids. */
const MOST_ASKED = 100;
/**
 * Look-ups that wait for a query; further ones are refused. Ten queries, a few hundred
 * milliseconds.
 */
const MOST_WAITING = 1_000;
const MOST_REMEMBERED = 2_000;
const REMEMBERED_MS = 60_000;

interface Waiting {
  readonly found: Promise<Transition | undefined>;
  readonly resolve: (transition: Transition | undefined) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Looks up requests in the history: one query at a time, for all look-ups that have come meanwhile.
 * So many look-ups at once, as after a restart that has emptied the view, never delay the other
 * queries of the warehouse.
 *
 * Only `succeeded` is remembered: nothing leaves it. A replay may store what has failed, and the
 * view may have forgotten that.
 */
export class HistoryLookUps {
  private readonly waiting = new Map<string, Waiting>();
  private readonly remembered = new Map<string, { transition: Transition; until: number }>();
  private isAsking = false;

  /**
   * @param ask the furthest written transitions of the requests that have one, by id
   * @param now milliseconds, on a clock that never steps
   */
  constructor(
    private readonly ask: (ids: readonly string[]) => Promise<ReadonlyMap<string, Transition>>,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /**
   * The request's furthest written transition; undefined when there is none.
   *
   * @throws Error when too many look-ups wait already, and what `ask` throws
   */
  async find(requestId: string): Promise<Transition | undefined> {
    const known = this.recall(requestId);
    if (known !== undefined) return known;
    const same = this.waiting.get(requestId);
    if (same !== undefined) return same.found;
    if (this.waiting.size >= MOST_WAITING) {
      throw new Error('too many requests are being looked up in the history');
    }
    const waiting = waitingFor();
    this.waiting.set(requestId, waiting);
    if (!this.isAsking) void this.askForAll();
    return waiting.found;
  }

  private async askForAll(): Promise<void> {
    this.isAsking = true;
    while (this.waiting.size > 0) {
      const asked = [...this.waiting].slice(0, MOST_ASKED);
      // Later callers may ask for a state that is written meanwhile.
      for (const [id] of asked) this.waiting.delete(id);
      try {
        const found = await this.ask(asked.map(([id]) => id));
        for (const [id, { resolve }] of asked) {
          const transition = found.get(id);
          if (transition !== undefined) this.remember(id, transition);
          resolve(transition);
        }
      } catch (error) {
        for (const [, { reject }] of asked) reject(error);
      }
    }
    this.isAsking = false;
  }

  private recall(requestId: string): Transition | undefined {
    const known = this.remembered.get(requestId);
    if (known === undefined) return undefined;
    if (this.now() < known.until) return known.transition;
    this.remembered.delete(requestId);
    return undefined;
  }

  private remember(requestId: string, transition: Transition): void {
    if (transition.status !== 'succeeded') return;
    this.remembered.set(requestId, { transition, until: this.now() + REMEMBERED_MS });
    if (this.remembered.size <= MOST_REMEMBERED) return;
    for (const [oldest] of this.remembered) {
      this.remembered.delete(oldest);
      return;
    }
  }
}

function waitingFor(): Waiting {
  let resolve!: Waiting['resolve'];
  let reject!: Waiting['reject'];
  const found = new Promise<Transition | undefined>((fulfil, fail) => {
    resolve = fulfil;
    reject = fail;
  });
  return { found, resolve, reject };
}
