import { DAY_SECONDS } from '../domain/days.js';
import { FAMILIES } from '../domain/families/index.js';
import { isFinal, STATUSES } from './transition.js';
import { Measurement } from '../ops/measurement.js';
import { oldestUnfinished, requestRows, requests, requestsCountedFrom } from '../ops/metrics.js';
import type { RequestStore, RequestTotals } from './request-store.js';

/** The history is asked at most this often, however often the metrics are. */
const FRESH_MS = 10_000;
/** From this age on, no scrape leaves them out. */
const OVERDUE_MS = 45_000;
/** The retention of the history never cuts them: it is two days longer at least. */
const COUNTED_DAYS = 30;

/**
 * The service's invariants as gauges: accepted = succeeded + failed + in flight, and the rows that
 * were validated, stored and read back. They come from the durable history, because the counters of
 * a process end with it and count twice in replays. They begin with a day, so that they fall only
 * when a day begins, or when requests are lost.
 */
export class RequestTotalsGauges extends Measurement {
  constructor(store: RequestStore) {
    super(() => count(store), [requests, requestRows, oldestUnfinished], FRESH_MS);
  }

  /** Whether a scrape has to measure them, whatever else it measures. */
  get isOverdue(): boolean {
    return this.age >= OVERDUE_MS;
  }
}

async function count(store: RequestStore): Promise<void> {
  const today = Math.floor(Date.now() / 1000 / DAY_SECONDS);
  const from = (today - COUNTED_DAYS) * DAY_SECONDS;
  const totals = await store.totals(from);
  requestsCountedFrom.set(from);
  for (const { name: family } of FAMILIES) {
    const ofFamily = totals.filter((each) => each.family === family);
    for (const status of STATUSES) {
      const ofStatus = ofFamily.filter((each) => each.status === status);
      requests.set({ family, status }, sum(ofStatus, 'requests'));
    }
    const unfinished = ofFamily.filter(({ status }) => !isFinal(status));
    const oldest = Math.min(...unfinished.map(({ oldest }) => oldest));
    oldestUnfinished.set({ family }, Math.max(0, Date.now() / 1000 - oldest));
    // A request under way has rows that are validated and not stored yet; that is no inconsistency.
    const succeeded = ofFamily.filter(({ status }) => status === 'succeeded');
    requestRows.set({ family, step: 'validated' }, sum(succeeded, 'validated'));
    requestRows.set({ family, step: 'stored' }, sum(succeeded, 'stored'));
    requestRows.set({ family, step: 'read_back' }, sum(succeeded, 'readBack'));
  }
}

type Count = 'requests' | 'validated' | 'stored' | 'readBack';

function sum(totals: readonly RequestTotals[], count: Count): number {
  return totals.reduce((all, each) => all + each[count], 0);
}
