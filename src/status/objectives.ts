import { objectiveUploads, objectiveUploadsLate } from '../ops/metrics.js';
import type { Punctuality, RequestStore } from './request-store.js';

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
export class ObjectiveGauges {
  private measuredAt = -Infinity;

  /** @param now milliseconds, on a clock that never steps */
  constructor(
    private readonly store: Pick<RequestStore, 'punctuality'>,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Whether a measurement would count, and not for the first time. */
  get isDueAgain(): boolean {
    const age = this.now() - this.measuredAt;
    return age >= FRESH_MS && age < Infinity;
  }

  async measure(): Promise<void> {
    if (this.now() - this.measuredAt < FRESH_MS) return;
    this.measuredAt = this.now();
    for (const { limit, window, uploads, late } of await this.counted()) {
      const labels = { objective: LIMITS.get(limit)!, window: WINDOWS.get(window)! };
      objectiveUploads.set(labels, uploads);
      objectiveUploadsLate.set(labels, late);
    }
  }

  private async counted(): Promise<Punctuality[]> {
    const now = Math.floor(Date.now() / 1000);
    try {
      return await this.store.punctuality([...LIMITS.keys()], [...WINDOWS.keys()], now);
    } catch (error) {
      // No number is better than an old one.
      for (const gauge of [objectiveUploads, objectiveUploadsLate]) gauge.reset();
      throw error;
    }
  }
}
