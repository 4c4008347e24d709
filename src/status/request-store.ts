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
   * without a written transition are left out, and those whose UUIDv7 has not the time of their
   * upload, give or take a day.
   *
   * @param requestIds at most 1,000
   */
  statesOf(requestIds: readonly string[]): Promise<ReadonlyMap<string, Transition>>;

  /**
   * The requests that were created at a time or later, each in its furthest state.
   *
   * @param from whole seconds since the epoch
   */
  totals(from: number): Promise<RequestTotals[]>;

  /**
   * For every limit and every window, in this order: the uploads that ended or were due within the
   * window, each in its furthest state. An upload is due `limit` seconds after it was created.
   *
   * @param limits whole seconds, no one twice
   * @param windows whole seconds; each ends at `now`, which it includes
   * @param now whole seconds since the epoch
   */
  punctuality(
    limits: readonly number[],
    windows: readonly number[],
    now: number,
  ): Promise<Punctuality[]>;

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

/** How many uploads ended or were due within a window, and how many of them were late. */
export interface Punctuality {
  readonly limit: number;
  readonly window: number;
  readonly uploads: number;
  /**
   * The history has whole seconds, so `late` are all that took longer than `limit`, and some that
   * took up to a second less.
   */
  readonly late: number;
}
