import { expect, test } from '@jest/globals';

import { Measurement } from '../../../src/ops/measurement.js';

const FRESH_MS = 1_000;

let now = 0;
let resets = 0;
const gauge = {
  reset: () => {
    resets++;
  },
};

/** A measurement whose runs end when the test says so. */
function held() {
  const runs: { resolve: () => void; reject: (error: Error) => void }[] = [];
  const work = (): Promise<void> =>
    new Promise((resolve, reject) => runs.push({ resolve, reject }));
  return { runs, measurement: new Measurement(work, [gauge], FRESH_MS, () => now) };
}

test('a slow measurement is not begun a second time, however long it takes', async () => {
  const { runs, measurement } = held();
  const first = measurement.measure();
  now += 10 * FRESH_MS;
  const second = measurement.measure();
  expect(runs).toHaveLength(1);
  runs[0]!.resolve();
  await Promise.all([first, second]);
});

test('it is repeated once its result is old, counted from its end', async () => {
  const { runs, measurement } = held();
  expect(measurement.age).toBe(Infinity);
  const first = measurement.measure();
  now += FRESH_MS;
  runs[0]!.resolve();
  await first;
  expect(measurement.age).toBe(0);
  now += FRESH_MS - 1;
  await measurement.measure();
  expect(runs).toHaveLength(1);
  now += 1;
  void measurement.measure();
  expect(runs).toHaveLength(2);
});

test('a failure is thrown to all who wait and empties the gauges, and is not repeated at once', async () => {
  const { runs, measurement } = held();
  const both = [measurement.measure(), measurement.measure()];
  runs[0]!.reject(new Error('away'));
  await Promise.all(both.map((each) => expect(each).rejects.toThrow('away')));
  expect(resets).toBe(1);
  await measurement.measure();
  expect(runs).toHaveLength(1);
});
