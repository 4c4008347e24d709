import { afterEach, expect, test } from '@jest/globals';

import { VersionClock } from '../../../src/domain/version.js';
import { uploaded } from '../../../src/status/transition.js';
import { transitionRecord } from '../../../src/status/publisher.js';
import { LogUnavailableError } from '../../../src/log/upload-log.js';
import { StatusTail } from '../../../src/status/status-tail.js';
import { StatusView } from '../../../src/status/status-view.js';
import { ViewProgress } from '../../../src/status/view-progress.js';
import { LogFolders } from '../../support/log/log-folders.js';

const STALLED_MS = 30_000;

const folders = new LogFolders();
afterEach(() => folders.cleanUp());

/** A topic of two partitions and a view of it. The test moves both, and the time. */
class Bench {
  now = 0;
  ends: readonly number[] | undefined = [0, 0];
  readonly seen = [0, 0];
  private readonly moved = [-Infinity, -Infinity];
  private readonly progress = new ViewProgress(
    {
      endOffsets: () =>
        this.ends === undefined
          ? Promise.reject(new LogUnavailableError('away'))
          : Promise.resolve(this.ends),
    },
    {
      isAt: (partition, end) => Promise.resolve(this.seen[partition]! >= end),
      movedAt: (partition) => this.moved[partition]!,
    },
    STALLED_MS,
    () => this.now,
  );

  move(partition: number, to: number): void {
    this.seen[partition] = to;
    this.moved[partition] = this.now;
  }

  /** Asks every five seconds, as probes do. Returns the last answer. */
  async after(milliseconds: number): Promise<string> {
    for (let left = milliseconds; left > 0; left -= 5_000) {
      this.now += Math.min(left, 5_000);
      await this.answer();
    }
    return this.answer();
  }

  answer(): Promise<string> {
    return this.progress.check().then(
      () => 'ok',
      (error: unknown) => (error as Error).message,
    );
  }
}

test('a view that has something to read and has not moved for so long has stopped', async () => {
  const bench = new Bench();
  bench.ends = [0, 5];
  expect(await bench.answer()).toBe('ok');
  expect(await bench.after(STALLED_MS - 1_000)).toBe('ok');
  expect(await bench.after(1_000)).toBe('the view of the status topic has not moved for 30 s');
  // The check passes as soon as the view moves, although it is still behind.
  bench.move(1, 1);
  expect(await bench.answer()).toBe('ok');
  expect(await bench.after(STALLED_MS)).not.toBe('ok');
});

test('a view that has read everything may stand still', async () => {
  const bench = new Bench();
  bench.ends = [3, 0];
  bench.move(0, 3);
  expect(await bench.after(10 * STALLED_MS)).toBe('ok');
});

test('a slow view is not a stopped one', async () => {
  const bench = new Bench();
  for (let i = 0; i < 100; i++) {
    bench.ends = [1_000 * (i + 1), 0];
    bench.move(0, i + 1);
    expect(await bench.after(STALLED_MS - 5_000)).toBe('ok');
  }
});

test('one partition that moves does not hide another that does not', async () => {
  const bench = new Bench();
  for (let i = 0; i < 8; i++) {
    bench.ends = [i + 1, 1];
    bench.move(0, i + 1);
    await bench.after(5_000);
  }
  expect(await bench.answer()).not.toBe('ok');
});

test('being behind at each look is no standing still when it was caught up between', async () => {
  const bench = new Bench();
  for (let i = 0; i < 5; i++) {
    bench.ends = [i + 1, 0];
    expect(await bench.answer()).toBe('ok');
    bench.now += 10;
    bench.move(0, i + 1);
    bench.now += 10 * STALLED_MS;
  }
});

test('while the log is away nothing is said of the view, and afterwards the time begins anew', async () => {
  const bench = new Bench();
  bench.ends = [1, 0];
  expect(await bench.after(STALLED_MS - 5_000)).toBe('ok');
  bench.ends = undefined;
  expect(await bench.after(10 * STALLED_MS)).toBe('ok');
  bench.ends = [1, 0];
  expect(await bench.after(STALLED_MS)).toBe('ok');
  expect(await bench.after(5_000)).not.toBe('ok');
});

test('a tail of a real log that stalls, and goes on', async () => {
  const log = await folders.open();
  const clock = new VersionClock(Date.now, () => 0n);
  const view = new StatusView(1_000_000);
  const tail = await StatusTail.start(log, view, clock);
  let now = 0;
  const progress = new ViewProgress(log, tail, STALLED_MS, () => performance.now() + now);
  const requestId = '01a1fbe9-8d12-7e37-8444-000000000001';
  const request = {
    requestId,
    account: 'acme',
    family: 'cost',
    version: '1',
    sentMax: '1',
    bytes: 7,
  } as const;
  await log.append('status', [transitionRecord(uploaded(request, 0))]);
  await tail.caughtUp(5_000);
  await progress.check();
  await tail.stop();
  await log.append('status', [transitionRecord(uploaded(request, 0))]);
  await progress.check();
  now += STALLED_MS;
  await expect(progress.check()).rejects.toThrow('has not moved for 30 s');
  // A new tail reads what the stalled one has missed.
  const next = await StatusTail.start(log, view, clock);
  await next.caughtUp(5_000);
  const after = new ViewProgress(log, next, STALLED_MS, () => performance.now() + now);
  await after.check();
  await next.stop();
});
