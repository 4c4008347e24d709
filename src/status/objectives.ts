import { Measurement } from '../ops/measurement.js';
import { objectiveUploads, objectiveUploadsLate } from '../ops/metrics.js';
import type { RequestStore } from './request-store.js';

/** The history is asked at most this often, however often the metrics are. */
const FRESH_MS = 60_000;

/** The objectives by their limits, in seconds. */
const LIMITS: ReadonlyMap<number, string> = new Map([
  [10, 'visible_in_10s'],
  [600, 'visible_in_10m'],
]);

/** The windows of the alerts and of the error budget, by their seconds. */
const WINDOWS: ReadonlyMap<number, string> = new Map([
  [300, '5m'],
  [1_800, '30m'],
  [3_600, '1h'],
  [21_600, '6h'],
  [259_200, '3d'],
  [2_592_000, '30d'],
]);

/**
 * How punctual uploads are, as gauges. They are counted in the durable history for each window, not
 * from counters: a counter ends with its process, counts twice in a replay, and never counts an
 * upload that does not end.
 */
export class ObjectiveGauges extends Measurement {
  /** @param now milliseconds, on a clock that never steps */
  constructor(store: Pick<RequestStore, 'punctuality'>, now?: () => number) {
    super(() => count(store), [objectiveUploads, objectiveUploadsLate], FRESH_MS, now);
  }

  /** Whether a measurement would count, and not for the first time. */
  get isDueAgain(): boolean {
    return this.age >= FRESH_MS && this.age < Infinity;
  }
}

async function count(store: Pick<RequestStore, 'punctuality'>): Promise<void> {
  const now = Math.floor(Date.now() / 1000);
  const counted = await store.punctuality([...LIMITS.keys()], [...WINDOWS.keys()], now);
  for (const { limit, window, uploads, late } of counted) {
    const labels = { objective: LIMITS.get(limit)!, window: WINDOWS.get(window)! };
    objectiveUploads.set(labels, uploads);
    objectiveUploadsLate.set(labels, late);
  }
}
