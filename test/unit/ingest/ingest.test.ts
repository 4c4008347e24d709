import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { pino } from 'pino';

import type { IngestDependencies } from '../../../src/ingest/dependencies.js';
import { CrashJournal } from '../../../src/ingest/crash/crash-journal.js';
import { Ingest } from '../../../src/ingest/ingest.js';
import type { Preparer } from '../../../src/ingest/prepare/prepare-pool.js';
import {
  type Consumption,
  LogUnavailableError,
  type RecordToAppend,
  type Topic,
} from '../../../src/log/upload-log.js';
import { MemoryFiles } from '../../support/disk/memory-files.js';
import { until } from '../../support/until.js';
import { Partition } from './assemble/partition.js';

const never = new Promise<never>(() => undefined);
const WAITING_BYTES = 1_000;

/** Never finishes an upload. The tests look at how many uploads get this far. */
const preparer = {
  threads: 1,
  begun: 0,
  /** Throws at the first upload. */
  throwsFirst: false as boolean,
  run(): Promise<never> {
    this.begun++;
    return this.throwsFirst && this.begun === 1 ? Promise.reject(new Error('thrown')) : never;
  },
  release: () => undefined,
  close: () => Promise.resolve(),
} satisfies Preparer & { begun: number; throwsFirst: boolean };

let partition: Partition;
let files: MemoryFiles;
/** The topics of all appends. */
let appended: Topic[];
let dependencies: IngestDependencies;
let ingest: Ingest;
/** How many reads of the log have begun. */
let reads: number;
/** Fails the read that is under way. */
let breakReading: () => void;
/** The log answers from now on. */
let isBack: boolean;

beforeEach(async () => {
  preparer.begun = 0;
  preparer.throwsFirst = false;
  partition = new Partition(0);
  files = new MemoryFiles();
  appended = [];
  reads = 0;
  isBack = false;
  const consumption: Consumption = {
    failed: never,
    commit: () => Promise.resolve(),
    stop: () => Promise.resolve(),
  };
  const log = {
    consume: () => Promise.resolve(consumption),
    read: async function* (...run: Parameters<typeof partition.log.read>) {
      reads++;
      if (isBack) {
        yield* partition.log.read(...run);
        return;
      }
      await new Promise<void>((resolve) => (breakReading = resolve));
      throw new LogUnavailableError('the brokers are away');
    },
    endOffset: () => Promise.resolve(partition.end),
    append: (topic: Topic, records: readonly RecordToAppend[]) => {
      appended.push(topic);
      return Promise.resolve(records.map((_, offset) => ({ partition: 0, offset })));
    },
  };
  dependencies = {
    log,
    rows: {},
    erased: { covers: () => false },
    logger: pino({ level: 'silent' }),
    config: {
      dataDir: '/data',
      limits: {
        ...{ uploadDeadlineMs: 60_000, logTimeoutMs: 5_000, validationThreads: 1 },
        ...{ openUploadBytes: 1_000_000, waitingUploadBytes: WAITING_BYTES },
        ...{ batchRows: 1_000, batchBytes: 1_000_000, batchMs: 1_000 },
      },
    },
  } as unknown as IngestDependencies;
  ingest = await Ingest.start(dependencies, { preparer, files });
});
afterEach(() => ingest.stop(0));

test('an upload that is read again when its partition is revoked leaves its room to others', async () => {
  ingest.assigned(0, 0);
  // Its chunk lies before the first record that this consumer reads.
  partition.chunk('a', 0, 'x');
  const taken = ingest.records(0, [partition.finish('a', 1, 0, WAITING_BYTES)]);
  await new Promise((resolve) => setImmediate(resolve));
  ingest.revoked(0);
  breakReading();
  await taken;

  ingest.assigned(0, partition.end);
  await ingest.records(0, [partition.finish('b', 0, null, WAITING_BYTES)]);
  await new Promise((resolve) => setImmediate(resolve));
  expect(preparer.begun).toBe(1);
});

/** Ingest takes the end of an upload whose chunk lies before its first record. The read fails. */
async function failToReadAgain(): Promise<{ taken: Promise<void> }> {
  ingest.assigned(0, 1);
  partition.chunk('a', 0, 'x');
  const taken = ingest.records(0, [partition.finish('a', 1, 0, 1)]);
  await new Promise((resolve) => setImmediate(resolve));
  breakReading();
  await new Promise((resolve) => setImmediate(resolve));
  return { taken };
}

test('an upload that is read again waits until the log answers', async () => {
  const { taken } = await failToReadAgain();
  isBack = true;
  await taken;
  await new Promise((resolve) => setImmediate(resolve));
  expect([reads, preparer.begun]).toEqual([2, 1]);
});

test.each(['stop', 'revoked'] as const)(
  'an upload that waits to be read again waits no longer after `%s`',
  async (how) => {
    const { taken } = await failToReadAgain();
    if (how === 'stop') void ingest.stop(0);
    else ingest.revoked(0);
    await new Promise((resolve) => setImmediate(resolve));
    breakReading();
    await taken;
    expect([reads, preparer.begun]).toEqual([2, 0]);
  },
);

test('an upload that has ended three processes is set aside again when the next one ends as well', async () => {
  files.lines('/data/ingest-journal').replace('=a 2\n*a\n');
  const log = { ...dependencies.log, ...partition.log };
  const records = [partition.chunk('a', 0, 'x'), partition.finish('a', 1, 0, 1)];
  for (let processes = 0; processes < 2; processes++) {
    // The process before has ended after it set the upload aside and before it committed that.
    const next = await Ingest.start({ ...dependencies, log }, { preparer, files });
    appended.length = 0;
    next.assigned(0, 0);
    await next.records(0, records);
    await until(() => appended.includes('status'));
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect([...new Set(appended)]).toEqual(['dead-letter', 'status']);
  }
  expect(preparer.begun).toBe(0);
});

test('an upload that has thrown is blamed for the end of a process, also if the log was away', async () => {
  preparer.throwsFirst = true;
  ingest.assigned(0, 0);
  await ingest.records(0, [partition.chunk('a', 0, 'x'), partition.finish('a', 1, 0, 1)]);
  await until(() => reads === 1);
  breakReading();
  await new Promise((resolve) => setImmediate(resolve));
  expect(deathsIfKilled()).toBe(0);
  isBack = true;
  await until(() => preparer.begun === 2);
  expect(deathsIfKilled()).toBe(1);
});

/** What the next process would count against the upload. */
function deathsIfKilled(): number {
  return new CrashJournal(files, '/data/ingest-journal', pino({ level: 'silent' })).deathsOf('a');
}
