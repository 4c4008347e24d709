import {
  CONSUMER_GROUPS,
  type LogRecord,
  type RecordHandler,
  type RecordToAppend,
  type UploadLog,
} from '../../../src/log/upload-log.js';
import { afterEach, expect, test } from '@jest/globals';
import { pino } from 'pino';

import { type Transition, uploaded } from '../../../src/status/transition.js';
import { transitionRecord } from '../../../src/status/publisher.js';
import { HistoryWriter } from '../../../src/status/history-writer.js';
import type { RequestStore } from '../../../src/status/request-store.js';
import { type Warehouse, WarehouseError } from '../../../src/warehouse/warehouse.js';
import { LogFolders } from '../../support/log/log-folders.js';
import { until } from '../../support/until.js';

const folders = new LogFolders();
afterEach(() => folders.cleanUp());

let requests = 0;

function created(): RecordToAppend {
  const requestId = `01a1fbe9-8d12-7e37-8444-${String(++requests).padStart(12, '0')}`;
  const request = {
    requestId,
    account: 'acme',
    family: 'cost',
    version: '1',
    sentMax: '1',
    bytes: 7,
  } as const;
  return transitionRecord(uploaded(request, 0));
}

/** Starts a writer on a real log. `write` replaces the history. */
function startWriter(
  log: UploadLog,
  write: (transitions: readonly Transition[]) => Promise<void>,
): Promise<HistoryWriter> {
  return HistoryWriter.start({
    log,
    requests: { writeTransitions: write } as unknown as RequestStore,
    warehouse: { insert: () => Promise.resolve() } as unknown as Warehouse,
    erased: { covers: () => false },
    logger: pino({ level: 'silent' }),
  });
}

test('stops while the warehouse is away, although more records wait behind the write', async () => {
  const log = await folders.open();
  let tries = 0;
  const writer = await startWriter(log, () => {
    tries++;
    return Promise.reject(new WarehouseError('away', 'retry'));
  });
  await log.append('status', [created()]);
  await until(() => tries > 0);
  await log.append('status', [created()]);
  const more = tries;
  await until(() => tries > more);
  await writer.stop();
  expect(await log.committedOffsets('status', CONSUMER_GROUPS.history.group)).toEqual([0]);
}, 5_000);

test('what is gathered at the stop is written and committed', async () => {
  const log = await folders.open();
  const written: Transition[] = [];
  const writer = await startWriter(log, (transitions) => {
    written.push(...transitions);
    return Promise.resolve();
  });
  await log.append('status', [created(), created()]);
  await until(() => written.length === 2);
  await writer.stop();
  expect(await log.committedOffsets('status', CONSUMER_GROUPS.history.group)).toEqual([2]);
});

test('after a write that failed for good nothing is written or committed any more', async () => {
  const log = await folders.open();
  let writes = 0;
  const writer = await startWriter(log, () =>
    ++writes === 1 ? Promise.reject(new Error('broken')) : Promise.resolve(),
  );
  await log.append('status', [created()]);
  await expect(writer.failed).rejects.toThrow('broken');
  await log.append('status', [created()]);
  await writer.stop();
  expect(writes).toBe(1);
  expect(await log.committedOffsets('status', CONSUMER_GROUPS.history.group)).toEqual([0]);
});

test('a backlog is written in parts of a bounded size', async () => {
  const log = await folders.open();
  const reason = 'x'.repeat(65_000);
  const failed = (): RecordToAppend => {
    const record = created();
    const transition = { ...(JSON.parse(String(record.value)) as Transition), reason };
    return { ...record, value: Buffer.from(JSON.stringify(transition)) };
  };
  const count = 300;
  for (let i = 0; i < count; i += 50) {
    await log.append('status', Array.from({ length: 50 }, failed));
  }
  const sizes: number[] = [];
  const writer = await startWriter(log, (transitions) => {
    sizes.push(transitions.length);
    return Promise.resolve();
  });
  await until(() => sizes.reduce((sum, size) => sum + size, 0) === count);
  await writer.stop();
  expect(Math.max(...sizes)).toBeLessThanOrEqual(Math.ceil(8_388_608 / reason.length));
  expect(await log.committedOffsets('status', CONSUMER_GROUPS.history.group)).toEqual([count]);
});

test("commits nothing of a partition that was another consumer's meanwhile", async () => {
  const commits: [partition: number, offset: number][] = [];
  let handler!: RecordHandler;
  const log = {
    consume: (_topic: string, _group: string, given: RecordHandler) => {
      handler = given;
      return Promise.resolve({
        failed: new Promise<never>(() => undefined),
        commit: (partition: number, offset: number) => {
          commits.push([partition, offset]);
          return Promise.resolve();
        },
        stop: () => Promise.resolve(),
      });
    },
  } as unknown as UploadLog;
  const writes: (() => void)[] = [];
  const writer = await startWriter(log, () => new Promise((resolve) => writes.push(resolve)));
  const records = (partition: number, offset: number): Promise<void> =>
    handler.records(partition, [{ ...created(), partition, offset } as unknown as LogRecord]);
  handler.assigned(0, 0);
  handler.assigned(1, 0);
  await records(0, 3);
  await records(1, 3);
  await until(() => writes.length === 1);
  const waiting = records(0, 4);
  handler.revoked(0);
  // The other process has committed up to this offset.
  handler.assigned(0, 9);
  writes[0]!();
  await waiting;
  await until(() => writes.length === 2);
  writes[1]!();
  await writer.stop();
  expect(commits).toEqual([[1, 4]]);
}, 5_000);
