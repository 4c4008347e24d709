import type { FamilyName } from '../domain/families/index.js';
import type { Status, Transition } from './transition.js';

/**
 * The history of requests in the warehouse: the port above the SQL.
 *
 * Every write may be repeated and then changes nothing. Every method throws WarehouseError; after
 * `retry` or `memory` the same call may succeed later. Written rows are on disk.
 */
export interface RequestStore {
  writeTransitions(transitions: readonly Transition[]): Promise<void>;

  /**
   * By request, in lower case: its furthest transition; of two of one rank the earlier. Requests
   * without a written transition are left out.
   *
   * @param requestIds at most 1,000
   */
  statesOf(requestIds: readonly string[]): Promise<ReadonlyMap<string, Transition>>;

  /** All requests, each in its furthest state. */
  totals(): Promise<RequestTotals[]>;

  /** The highest version of any written request; 0 when there is none. */
  highestVersion(): Promise<bigint>;
}

/** The requests of a family in one state, and how many of their rows have come how far. */
export interface RequestTotals {
  readonly family: FamilyName;
  readonly status: Status;
  readonly requests: number;
  readonly validated: number;
  readonly stored: number;
  readonly readBack: number;
  /** When the first of them was created, in seconds since the epoch. */
  readonly oldest: number;
}
