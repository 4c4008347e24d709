import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { pino } from 'pino';

import type { IngestDependencies } from '../../../src/ingest/dependencies.js';
import { Ingest } from '../../../src/ingest/ingest.js';
import type { Preparer } from '../../../src/ingest/prepare/prepare-pool.js';
import { type Consumption, LogUnavailableError } from '../../../src/log/upload-log.js';
import { MemoryFiles } from '../../support/disk/memory-files.js';
import { Partition } from './assemble/partition.js';

const never = new Promise<never>(() => undefined);
const WAITING_BYTES = 1_000;

/** Never finishes an upload. The tests look at how many uploads get this far. */
const preparer = {
  threads: 1,
  begun: 0,
  run(): Promise<never> {
    this.begun++;
    return never;
  },
  release: () => undefined,
  close: () => Promise.resolve(),
} satisfies Preparer & { begun: number };

let partition: Partition;
let ingest: Ingest;
/** Fails the read that is under way. */
let breakReading: () => void;

beforeEach(async () => {
  preparer.begun = 0;
  partition = new Partition(0);
  const consumption: Consumption = {
    failed: never,
    commit: () => Promise.resolve(),
    stop: () => Promise.resolve(),
  };
  const log = {
    consume: () => Promise.resolve(consumption),
    read: async function* () {
      await new Promise<void>((resolve) => (breakReading = resolve));
      throw new LogUnavailableError('the brokers are away');
    },
    endOffsets: () => Promise.resolve([partition.end]),
  };
  const dependencies = {
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
  ingest = await Ingest.start(dependencies, { preparer, files: new MemoryFiles() });
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
