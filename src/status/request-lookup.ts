import type { Transition } from './transition.js';

/**
 * What is known of a request: its latest transition, that it does not exist or is older than the
 * retention of the history, or that neither can be told now.
 */
export type LookupResult = Transition | 'unknown' | 'unavailable';

export interface RequestLookup {
  find(requestId: string): Promise<LookupResult>;

  /** Makes a transition that the log has acknowledged known here at once, ahead of the tail. */
  remember(transition: Transition): void;

  /**
   * Calls `changed` once, as soon as the request is seen here in a state further than `known`;
   * before it returns, if it is already.
   *
   * @param requestId in lower case
   * @param known undefined: any state will do
   * @returns ends the watch
   */
  watch(
    requestId: string,
    known: Transition | undefined,
    changed: (transition: Transition) => void,
  ): () => void;
}

export interface AcceptanceFence {
  /**
   * Resolves when every transition published by any gateway before this call has been seen here and
   * its version observed by this gateway's clock. A version drawn afterwards is above that of every
   * upload whose 201 was sent before the call.
   *
   * Rejects with LogUnavailableError when the log does not answer in time.
   */
  caughtUp(): Promise<void>;
}
