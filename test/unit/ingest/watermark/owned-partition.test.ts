import { setImmediate } from 'node:timers/promises';

import { beforeEach, expect, test } from '@jest/globals';

import { OwnedPartition } from '../../../../src/ingest/watermark/owned-partition.js';
import type { Consumption } from '../../../../src/log/upload-log.js';

/** Commits that a test completes or fails one by one. */
class HeldCommits {
  readonly asked: [partition: number, offset: number][] = [];
  private settle: ((error?: Error) => void)[] = [];

  commit(partition: number, offset: number): Promise<void> {
    this.asked.push([partition, offset]);
    return new Promise((resolve, reject) => {
      this.settle.push((error) => {
        if (error === undefined) resolve();
        else reject(error);
      });
    });
  }

  async answer(error?: Error): Promise<void> {
    this.settle.shift()!(error);
    await setImmediate();
  }
}

let commits: HeldCommits;
let errors: unknown[];
let owned: OwnedPartition;

beforeEach(() => {
  commits = new HeldCommits();
  errors = [];
  owned = new OwnedPartition(
    4,
    10,
    () => commits as Partial<Consumption> as Consumption,
    (error) => errors.push(error),
  );
});

test('commits the watermark, and only when it has moved', async () => {
  owned.commitSoon();
  expect(commits.asked).toEqual([]);
  owned.watermark.advance(12);
  owned.commitSoon();
  await commits.answer();
  owned.commitSoon();
  expect(commits.asked).toEqual([[4, 12]]);
});

test('never commits past an upload that is held', async () => {
  owned.watermark.hold('a', 10);
  owned.watermark.advance(12);
  owned.commitSoon();
  expect(commits.asked).toEqual([]);
  owned.watermark.release('a');
  owned.commitSoon();
  await commits.answer();
  expect(commits.asked).toEqual([[4, 12]]);
});

test('commits one at a time, and then where the watermark stands by then', async () => {
  for (const offset of [11, 12, 13]) {
    owned.watermark.advance(offset);
    owned.commitSoon();
  }
  expect(commits.asked).toEqual([[4, 11]]);
  await commits.answer();
  expect(commits.asked).toEqual([
    [4, 11],
    [4, 13],
  ]);
  await commits.answer();
  expect(commits.asked).toHaveLength(2);
});

test('commits nothing once revoked, not even what moved before', async () => {
  owned.watermark.advance(11);
  owned.commitSoon();
  owned.watermark.advance(12);
  owned.revoked = true;
  await commits.answer();
  owned.commitSoon();
  await owned.commitNow();
  expect(commits.asked).toEqual([[4, 11]]);
});

test('commitNow resolves when the watermark as it stands is committed', async () => {
  owned.watermark.advance(11);
  owned.commitSoon();
  owned.watermark.advance(12);
  let isDone = false;
  const done = owned.commitNow().then(() => (isDone = true));
  await commits.answer();
  expect(isDone).toBe(false);
  await commits.answer();
  await done;
  expect(commits.asked).toEqual([
    [4, 11],
    [4, 12],
  ]);
});

test('a commit that fails is told of once, and nothing is committed after it', async () => {
  owned.watermark.advance(11);
  owned.commitSoon();
  const failure = new Error('gone');
  const done = owned.commitNow();
  await commits.answer(failure);
  await done;
  owned.watermark.advance(12);
  owned.commitSoon();
  await owned.commitNow();
  expect(errors).toEqual([failure]);
  expect(commits.asked).toEqual([[4, 11]]);
});
