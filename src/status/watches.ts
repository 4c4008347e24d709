import { furtherOf, type Transition } from './transition.js';

interface Watch {
  readonly known: Transition | undefined;
  readonly changed: (transition: Transition) => void;
}

/** Those who wait for a request to get further than they know it. Each is told once. */
export class Watches {
  private readonly byRequest = new Map<string, Set<Watch>>();

  /**
   * @param known undefined: any state is news
   * @returns ends the watch; harmless when it has ended
   */
  add(
    requestId: string,
    known: Transition | undefined,
    changed: (transition: Transition) => void,
  ): () => void {
    const watch: Watch = { known, changed };
    const watches = this.byRequest.get(requestId);
    if (watches === undefined) this.byRequest.set(requestId, new Set([watch]));
    else watches.add(watch);
    return () => {
      this.remove(requestId, watch);
    };
  }

  /** @param state what the request has come to, which may be what it was */
  tell(state: Transition): void {
    const watches = this.byRequest.get(state.requestId);
    if (watches === undefined) return;
    for (const watch of [...watches]) {
      if (!isFurther(watch.known, state)) continue;
      this.remove(state.requestId, watch);
      watch.changed(state);
    }
  }

  private remove(requestId: string, watch: Watch): void {
    const watches = this.byRequest.get(requestId);
    watches?.delete(watch);
    if (watches?.size === 0) this.byRequest.delete(requestId);
  }
}

export function isFurther(known: Transition | undefined, state: Transition): boolean {
  return furtherOf(known, state) !== known;
}
