import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';

import { Batcher } from '../../../../src/ingest/batch/batcher.js';
import type { ValidUpload } from '../../../../src/ingest/upload-in-flight.js';

const LIMITS = { batchRows: 100, batchBytes: 1_000, batchMs: 50 };

let batches: string[][];
let finish: (() => void)[];
let isMoreComing: boolean;
let batcher: Batcher;

beforeEach(() => {
  jest.useFakeTimers();
  batches = [];
  finish = [];
  isMoreComing = true;
  batcher = new Batcher(LIMITS, () => isMoreComing, {
    settle(batch) {
      batches.push(batch.map(({ upload }) => upload.requestId));
      return new Promise((resolve) => finish.push(resolve));
    },
  });
});
afterEach(() => {
  batcher.close();
  jest.useRealTimers();
});

/** The batcher uses only the rows and the bytes of an upload. */
function add(requestId: string, rows: number, bytes = 1): void {
  const upload = { requestId, end: { bytes }, prepared: { rows } } as unknown as ValidUpload;
  void batcher.write(upload);
}

async function finishOldest(): Promise<void> {
  finish.shift()!();
  await jest.advanceTimersByTimeAsync(0);
}

describe('a batch goes out', () => {
  test('at once when no further upload is on its way: a lone one waits for nothing', () => {
    isMoreComing = false;
    add('a', 1);
    expect(batches).toEqual([['a']]);
  });

  test('when the last upload on its way is told to be none', () => {
    add('a', 1);
    expect(batches).toEqual([]);
    isMoreComing = false;
    batcher.flushIfReady();
    expect(batches).toEqual([['a']]);
  });

  test('when it has enough rows', () => {
    add('a', 60);
    expect(batches).toEqual([]);
    add('b', 40);
    expect(batches).toEqual([['a', 'b']]);
  });

  test('when it has enough bytes', () => {
    add('a', 1, 999);
    expect(batches).toEqual([]);
    add('b', 1, 1);
    expect(batches).toEqual([['a', 'b']]);
  });

  test('when its first upload has waited long enough', () => {
    add('a', 1);
    jest.advanceTimersByTime(30);
    add('b', 1);
    jest.advanceTimersByTime(19);
    expect(batches).toEqual([]);
    jest.advanceTimersByTime(1);
    expect(batches).toEqual([['a', 'b']]);
  });
});

describe('the limits of a batch', () => {
  test('are kept: an upload that does not fit begins the next one', async () => {
    add('a', 60);
    add('b', 60);
    expect(batches).toEqual([['a']]);
    add('c', 40);
    await finishOldest();
    expect(batches).toEqual([['a'], ['b', 'c']]);
  });

  test('let a single larger upload through alone', async () => {
    add('a', 10);
    add('b', 5_000, 50_000);
    await finishOldest();
    expect(batches).toEqual([['a'], ['b']]);
  });

  test('what is left over is not due for that, but once it has waited since it came', async () => {
    add('a', 100);
    add('b', 60);
    jest.advanceTimersByTime(30);
    add('c', 60);
    jest.advanceTimersByTime(10);
    await finishOldest();
    await finishOldest();
    expect(batches).toEqual([['a'], ['b']]);
    jest.advanceTimersByTime(39);
    expect(batches).toHaveLength(2);
    jest.advanceTimersByTime(1);
    expect(batches).toEqual([['a'], ['b'], ['c']]);
  });
});

describe('when no further upload is on its way', () => {
  test('a second batch is written beside the first, and no third', async () => {
    for (const id of ['a', 'b', 'c', 'd']) add(id, 60);
    expect(batches).toEqual([['a']]);
    isMoreComing = false;
    batcher.flushIfReady();
    expect(batches).toEqual([['a'], ['b']]);
    await finishOldest();
    expect(batches).toEqual([['a'], ['b'], ['c']]);
    await finishOldest();
    expect(batches).toEqual([['a'], ['b'], ['c'], ['d']]);
  });

  test('and none is under way, what fills two is written as two at once', async () => {
    add('a', 100);
    add('b', 60);
    add('c', 60);
    isMoreComing = false;
    await finishOldest();
    expect(batches).toEqual([['a'], ['b'], ['c']]);
  });

  test('less than an eighth of a batch waits for the first', async () => {
    add('a', 100);
    add('b', 12);
    isMoreComing = false;
    batcher.flushIfReady();
    expect(batches).toEqual([['a']]);
    add('c', 1);
    expect(batches).toEqual([['a'], ['b', 'c']]);
    await finishOldest();
  });
});

describe('one batch is written at a time', () => {
  test('and what comes meanwhile makes a larger one', async () => {
    isMoreComing = false;
    for (const id of ['a', 'b', 'c', 'd', 'e']) add(id, 3);
    expect(batches).toEqual([['a']]);
    jest.advanceTimersByTime(1_000);
    expect(batches).toHaveLength(1);
    await finishOldest();
    expect(batches).toEqual([['a'], ['b', 'c', 'd', 'e']]);
  });

  test('and what has waited too long by then goes at once', async () => {
    add('a', 100);
    add('b', 1);
    jest.advanceTimersByTime(1_000);
    expect(batches).toEqual([['a']]);
    await finishOldest();
    expect(batches).toEqual([['a'], ['b']]);
  });
});

test('closed, it writes nothing more by itself', () => {
  add('a', 1);
  batcher.close();
  jest.advanceTimersByTime(1_000);
  expect(batches).toEqual([]);
});
