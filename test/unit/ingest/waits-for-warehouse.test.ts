import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';

import type { IngestDependencies } from '../../../src/ingest/dependencies.js';
import { Ingest } from '../../../src/ingest/ingest.js';
import type { Preparer } from '../../../src/ingest/prepare/prepare-pool.js';
import type { Consumption } from '../../../src/log/upload-log.js';
import { createLogger } from '../../../src/ops/logger.js';
import type { Family } from '../../../src/domain/families/index.js';
import type { UploadToStore } from '../../../src/warehouse/row-store.js';
import { WarehouseError } from '../../../src/warehouse/warehouse.js';
import { MemoryFiles } from '../../support/disk/memory-files.js';
import { csv, goodRow, verdictOn } from '../../support/files/files.js';
import { MemoryLog } from '../../support/gateway/memory-log.js';
import { Partition } from './assemble/partition.js';

/** Uploads that wait for the warehouse, beside others that it takes. */

const LARGE_BYTES = 40 * 1024 * 1024;
const ROOM_BYTES = 64 * 1024 * 1024;

const preparer = {
  threads: 1,
  /** Uploads that are prepared and hold memory. */
  held: 0,
  run() {
    this.held++;
    return Promise.resolve(verdictOn('cost', csv([goodRow('cost')])));
  },
  release() {
    this.held--;
  },
  close: () => Promise.resolve(),
} satisfies Preparer & { held: number };

let partition: Partition;
let ingest: Ingest;
let files: MemoryFiles;
/** Uploads that need more memory than there is. */
let isLarge: (requestId: string) => boolean;
let stored: string[];
let isAway: boolean;
let isLogAway: boolean;
/** The processes so far. Earlier ones were killed. */
let processes = 0;
/** Whether a reader finds the upload. */
let isFound: (requestId: string) => boolean;

async function start(): Promise<void> {
  const process = ++processes;
  const log = new MemoryLog();
  log.fails = () => isLogAway || process !== processes;
  const consumption: Consumption = {
    failed: new Promise<never>(() => undefined),
    commit: () => Promise.resolve(),
    stop: () => Promise.resolve(),
  };
  const rows = {
    writeBatch(_: Family, uploads: readonly UploadToStore[]) {
      if (process !== processes) return new Promise<void>(() => undefined);
      if (isAway) return Promise.reject(new WarehouseError('no answer', 'retry'));
      if (uploads.some(({ requestId }) => isLarge(requestId))) {
        return Promise.reject(new WarehouseError('memory limit exceeded', 'memory', 241));
      }
      stored.push(...uploads.map(({ requestId }) => requestId));
      return Promise.resolve();
    },
    readBack: (_: Family, uploads: readonly UploadToStore[]) =>
      Promise.resolve(
        new Map(
          uploads.filter(({ requestId }) => isFound(requestId)).map(({ version }) => [version, 1]),
        ),
      ),
    hasMemoryFor: ({ bytes }: { bytes: number }) => Promise.resolve(bytes === 0),
  };
  const dependencies = {
    log: Object.assign(log, {
      consume: () => Promise.resolve(consumption),
      read: partition.log.read.bind(partition.log),
      endOffset: () => Promise.resolve(partition.end),
    }),
    rows,
    erased: { covers: () => false },
    logger: createLogger('silent'),
    config: {
      dataDir: '/data',
      limits: {
        ...{ uploadDeadlineMs: 60_000, logTimeoutMs: 5_000, validationThreads: 1 },
        ...{ openUploadBytes: 1_000_000, waitingUploadBytes: ROOM_BYTES },
        ...{ batchRows: 1_000, batchBytes: 1_000_000, batchMs: 1_000 },
      },
    },
  } as unknown as IngestDependencies;
  ingest = await Ingest.start(dependencies, { preparer, files });
  ingest.assigned(0, partition.end);
}

/** The end of an upload of so many bytes. */
const take = (requestId: string, bytes = 100): Promise<void> =>
  ingest.records(0, [partition.finish(requestId, 0, null, bytes)]);

beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] });
  preparer.held = 0;
  partition = new Partition(0);
  files = new MemoryFiles();
  stored = [];
  isAway = false;
  isLogAway = false;
  isFound = () => true;
});
afterEach(async () => {
  const stopped = ingest.stop(0);
  await pass(10);
  await stopped;
  jest.useRealTimers();
});

async function pass(milliseconds: number): Promise<void> {
  for (let passed = 0; passed < milliseconds; passed += 500) {
    await jest.advanceTimersByTimeAsync(Math.min(500, milliseconds));
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
  }
}

test('others are read and stored beside any number of them, and hold no memory for them', async () => {
  isLarge = (requestId) => requestId.startsWith('large');
  await start();
  const taken = (async () => {
    for (let i = 0; i < 5; i++) {
      await take(`large ${i}`, LARGE_BYTES);
      await take(`small ${i}`);
    }
  })();
  await pass(20_000);
  await taken;
  expect(stored.toSorted()).toEqual(['small 0', 'small 1', 'small 2', 'small 3', 'small 4']);
  expect(preparer.held).toBe(0);

  isLarge = () => false;
  await pass(120_000);
  expect(stored.filter((id) => id.startsWith('large')).toSorted()).toEqual(
    Array.from({ length: 5 }, (_, i) => `large ${i}`),
  );
  expect(preparer.held).toBe(0);
});

test('their number has a bound', async () => {
  isLarge = () => true;
  await start();
  let taken = 0;
  const taking = (async () => {
    for (; taken < 1_500; taken++) {
      // The second one to keep its place fills the room.
      const bytes = taken === 1_001 ? ROOM_BYTES : LARGE_BYTES;
      await take(String(taken), bytes);
    }
  })();
  await pass(60_000);
  expect(taken).toBeGreaterThan(1_000);
  expect(taken).toBeLessThan(1_010);

  // As soon as fewer wait, those that were kept make room.
  isLarge = (requestId) => Number(requestId) >= 1_000;
  await pass(120_000);
  expect(taken).toBe(1_500);

  isLarge = () => false;
  await pass(120_000);
  await taking;
  await pass(10_000);
  expect(new Set(stored).size).toBe(1_500);
});

test('others go on beside one that has ended a process before', async () => {
  isLarge = (requestId) => requestId === 'large';
  files.lines('/data/ingest-journal').append('+large\n');
  await start();
  await take('large');
  await pass(2_500);
  await take('small');
  await pass(10_000);
  expect(stored).toEqual(['small']);
});

test('one that has no memory, then is lost, then has no memory again gives back each time what it holds', async () => {
  isLarge = () => true;
  await start();
  await take('large', LARGE_BYTES);
  await pass(5_000);
  expect(preparer.held).toBe(0);

  isLarge = () => false;
  isFound = () => {
    isLarge = (requestId) => requestId === 'large';
    return false;
  };
  await pass(30_000);
  expect(stored).toEqual(['large']);
  expect(preparer.held).toBe(0);
  isFound = () => true;
  isLarge = () => false;
  await pass(120_000);
  expect(stored).toEqual(['large', 'large']);
  expect(preparer.held).toBe(0);
});

test.each([
  ['warehouse', 1],
  // The rows are stored each time, but no process can say so.
  ['log', 5],
] as const)(
  'what ends processes while the %s is away is no upload that waits for it',
  async (what, times) => {
    isLarge = () => false;
    if (what === 'log') isLogAway = true;
    else isAway = true;
    for (let kill = 0; kill < 4; kill++) {
      await start();
      await take('waits');
      await pass(20_000);
    }
    isAway = false;
    isLogAway = false;
    await start();
    await take('waits');
    await pass(20_000);
    expect(stored).toEqual(Array(times).fill('waits'));
  },
);
