import type { Transition } from '../domain/requests/transition.js';
import type { RequestTotals, RowStore } from '../warehouse/row-store.js';
import { HistoryLookUps } from './history-lookups.js';

/** Requests as the warehouse keeps them, for ever. */
export class RequestHistory {
  private readonly lookUps: HistoryLookUps;

  constructor(private readonly store: RowStore) {
    this.lookUps = new HistoryLookUps((ids) => store.statesOf(ids));
  }

  write(transitions: readonly Transition[]): Promise<void> {
    return this.store.writeTransitions(transitions);
  }

  /**
   * The request's furthest transition that has been written; undefined when there is none.
   *
   * @throws WarehouseError, TooManyLookUpsError
   */
  find(requestId: string): Promise<Transition | undefined> {
    return this.lookUps.find(requestId.toLowerCase());
  }

  totals(): Promise<RequestTotals[]> {
    return this.store.totals();
  }

  /** The highest version of any request that has been written; 0 when there is none. */
  highestVersion(): Promise<bigint> {
    return this.store.highestVersion();
  }
}
