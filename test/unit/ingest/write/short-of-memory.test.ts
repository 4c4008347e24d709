import { randomBytes } from 'node:crypto';

import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';

import { v7 as uuidv7 } from 'uuid';
import { uploaded } from '../../../../src/status/transition.js';
import { transitionOf, TransitionPublisher } from '../../../../src/status/publisher.js';
import type { BatchItem } from '../../../../src/ingest/batch/batcher.js';
import { OwnedPartition } from '../../../../src/ingest/watermark/owned-partition.js';
import type { Unprepared } from '../../../../src/ingest/prepare/preparation.js';
import type { ValidUpload } from '../../../../src/ingest/upload-in-flight.js';
import { BatchSettler } from '../../../../src/ingest/write/settle-batch.js';
import { createLogger } from '../../../../src/ops/logger.js';
import { uploadsShortOfMemory } from '../../../../src/ops/metrics.js';
import { beginSpan, SpanKind } from '../../../../src/ops/tracing.js';
import { SqlRowStore } from '../../../../src/warehouse/rows/sql-row-store.js';
import { UINT128 } from '../../../../src/warehouse/native/block.js';
import {
  type NativeBlock,
  type Warehouse,
  WarehouseError,
} from '../../../../src/warehouse/warehouse.js';
import { MemoryLog } from '../../../support/gateway/memory-log.js';
import { csv, goodRow, verdictOn } from '../../../support/files/files.js';

type Prepared = Pick<BatchItem, 'upload'>;

const MINUTE = 60_000;
const KIB = 1024;
const MIB = 1024 * KIB;

/** A warehouse with limited memory for an insert. */
class ShortWarehouse implements Warehouse {
  /** Returns the size of the largest block that it accepts now, in bytes. */
  memory: () => number = () => Infinity;
  /** An upload whose inserts always fail, however much memory there is. */
  poison: Prepared | undefined;
  /** What happens between an insert and its read-back. */
  beforeReadBack: () => void = () => undefined;
  readonly stored = new Set<bigint>();
  readonly probes: boolean[] = [];

  constructor(private readonly items: readonly Prepared[]) {}

  async insert(table: string, block: NativeBlock): Promise<void> {
    await Promise.resolve();
    const bytes = block.parts.reduce((sum, { length }) => sum + length, 0);
    // The version column has one part for each upload, and all values in a part are the same.
    const begun = new Set(
      block.parts.map((part) => Buffer.from(part.subarray(0, 16)).toString('hex')),
    );
    const versions = this.items
      .map(({ upload }) => upload.version)
      .filter((version) => begun.has(Buffer.from(UINT128.write([version])).toString('hex')));
    const isPoison = this.poison !== undefined && versions.includes(this.poison.upload.version);
    const fits = bytes <= this.memory() && !isPoison;
    if (table === 'insert_probes') this.probes.push(fits);
    if (!fits) throw new WarehouseError('memory limit exceeded', 'memory', 241);
    for (const version of versions) this.stored.add(version);
  }

  lookUp<Row>(sql: string): Promise<Row[]> {
    // Nothing is superseded.
    if (!sql.endsWith('GROUP BY version')) return Promise.resolve([]);
    this.beforeReadBack();
    const rows = this.items
      .filter(({ upload }) => this.stored.has(upload.version))
      .map(({ upload: { version, prepared } }) => ({
        upload: version.toString(),
        keys: prepared.keys,
        found: prepared.rows,
      }));
    return Promise.resolve(rows as Row[]);
  }

  execute(): Promise<void> {
    throw new Error('ingest runs no other statement');
  }
  query<Row>(): Promise<Row[]> {
    throw new Error('ingest asks nothing else');
  }
  close(): Promise<void> {
    return Promise.resolve();
  }
}

const owned = new OwnedPartition(
  0,
  0,
  () => {
    throw new Error('nothing is committed here');
  },
  () => undefined,
);

/** Prepares a file of `rows` rows with about 200 bytes each. */
function itemOf(rows: number): Prepared {
  const file = csv(
    Array.from({ length: rows }, (_, index) =>
      goodRow('cost', { campaign: `${'campaign '.repeat(20)}${index}` }),
    ),
  );
  const verdict = verdictOn('cost', file);
  if (!verdict.valid) throw new Error(verdict.reason);
  const requestId = uuidv7({ msecs: 0 });
  const version = BigInt(`0x1${randomBytes(14).toString('hex')}`);
  const ids = { requestId, account: 'acme', family: 'cost' } as const;
  const end = {
    chunks: 0,
    bytes: file.length,
    firstOffset: null,
    acceptedAt: 0,
    version: version.toString(),
    finding: null,
    requestDay: 0,
    integratedChannels: [],
  };
  const accepted = { ...ids, version: end.version, sentMax: end.version, bytes: end.bytes };
  const upload = {
    ...ids,
    end: { ...end, firstOffset: 0 },
    partition: 0,
    endOffset: 0,
    traceparent: undefined,
    parts: [],
    version,
    uploadedAt: 0,
    owned,
    span: beginSpan('process', SpanKind.CONSUMER, undefined, {}),
    transition: uploaded(accepted, 0),
    rows: { validated: rows, stored: 0, readBack: 0 },
    prepared: verdict.upload,
  };
  return { upload };
}

let aborting: AbortController;
beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] });
  aborting = new AbortController();
});
afterEach(() => {
  aborting.abort();
  jest.useRealTimers();
});

/** Advances the time step by step, until it is over or `done` returns true. */
async function pass(
  milliseconds: number,
  done: () => boolean = () => false,
  step = 5_000,
): Promise<void> {
  for (let passed = 0; passed < milliseconds && !done(); passed += step) {
    await jest.advanceTimersByTimeAsync(step);
    // The log's work takes turns of the event loop, but no time.
    for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve));
  }
}

async function waiting(): Promise<number> {
  return (await uploadsShortOfMemory.get()).values[0]?.value ?? 0;
}

class Ingesting {
  readonly log = new MemoryLog(1);
  readonly warehouse: ShortWarehouse;
  readonly finished = new Set<Prepared>();
  readonly broken: unknown[] = [];
  /** Uploads whose memory others have. */
  readonly aside = new Set<ValidUpload>();
  /** Why uploads cannot be prepared again. */
  unprepared: Unprepared | undefined;
  private readonly settler: BatchSettler;

  constructor(readonly items: readonly Prepared[]) {
    this.warehouse = new ShortWarehouse(items);
    const { signal } = aborting;
    const erased = { covers: () => false };
    const publisher = new TransitionPublisher(this.log, erased, signal);
    this.settler = new BatchSettler({
      log: this.log,
      rows: new SqlRowStore(this.warehouse, 'custom_data'),
      erased,
      publisher,
      aside: {
        leave: (upload) => this.aside.add(upload),
        prepareAgain: (upload) => {
          this.aside.delete(upload);
          return Promise.resolve(this.unprepared);
        },
        fail: (upload) => publisher.publish([upload], 'failed'),
      },
      logger: createLogger('silent'),
      signal,
    });
  }

  /** Resolves when the next batch may be written. */
  write(...items: readonly Prepared[]): Promise<void> {
    return this.settler.settle(
      items.map((item) => ({
        ...item,
        resolve: () => {
          if (this.finished.has(item)) this.broken.push('finished twice');
          this.finished.add(item);
        },
        reject: (error) => this.broken.push(error),
      })),
    );
  }

  isFinished(...items: readonly Prepared[]): boolean {
    return items.every((item) => this.finished.has(item));
  }

  statuses(item: Prepared): readonly string[] {
    return this.log
      .records('status')
      .map(({ value }) => transitionOf(value))
      .filter(({ requestId }) => requestId === item.upload.requestId)
      .map(({ status }) => status);
  }

  last(item: Prepared): string | undefined {
    return this.statuses(item).at(-1);
  }

  get setAside(): readonly (string | undefined)[] {
    return this.log
      .records('dead-letter')
      .filter(({ headers }) => headers['type'] === 'set-aside')
      .map(({ headers }) => headers['requestId']);
  }
}

/** Loses the large upload, once, when it has been stored. From then on there is memory for others. */
function loseLarge({ warehouse }: Ingesting): void {
  warehouse.beforeReadBack = () => {
    if (!warehouse.stored.delete(large.upload.version)) return;
    warehouse.beforeReadBack = () => undefined;
    warehouse.memory = () => 2 * MIB;
  };
}

/** Twenty small uploads and a large one. */
const items = [...Array.from({ length: 20 }, () => 2), 9_000].map(itemOf);
const large = items[20]!;
const small = items.slice(0, 20);

test.each([
  ['for nothing at all', 0],
  ['for small inserts only', 2 * MIB],
])('a quarter of an hour in which there is memory %s fails no upload', async (_, free) => {
  const ingesting = new Ingesting(items);
  const end = performance.now() + 15 * MINUTE;
  ingesting.warehouse.memory = () => (performance.now() < end ? free : Infinity);
  void ingesting.write(...items);
  await pass(15 * MINUTE - 5_000);
  expect(ingesting.isFinished(large)).toBe(false);
  expect(ingesting.isFinished(...small)).toBe(free > 0);
  expect(await waiting()).toBe(free > 0 ? 1 : 0);
  await pass(2 * MINUTE, () => ingesting.isFinished(...items));
  expect(items.map((item) => ingesting.last(item))).toEqual(Array(21).fill('succeeded'));
  expect(ingesting.setAside).toEqual([]);
  expect(ingesting.broken).toEqual([]);
  expect(await waiting()).toBe(0);
});

test('no failure counts beside which a probe fails as well', async () => {
  const ingesting = new Ingesting(items);
  ingesting.warehouse.memory = () => 2 * MIB;
  void ingesting.write(...items);
  await pass(500, undefined, 100);
  expect(await waiting()).toBe(1);
  // The probe before the upload succeeds. The upload and the probe after it fail.
  let inserts = 0;
  ingesting.warehouse.memory = () => (inserts++ % 3 === 0 ? 10 * MIB : 2 * MIB);
  await pass(30 * MINUTE);
  expect(inserts).toBeGreaterThan(3 * 20);
  expect(ingesting.setAside).toEqual([]);
  ingesting.warehouse.memory = () => Infinity;
  await pass(2 * MINUTE, () => ingesting.isFinished(large));
  expect(ingesting.last(large)).toBe('succeeded');
});

test('an upload that is too large is set aside, it alone, after ten minutes; others go on', async () => {
  const others = Array.from({ length: 9 }, () => itemOf(3));
  const ingesting = new Ingesting([...items, ...others]);
  ingesting.warehouse.poison = large;
  void ingesting.write(...items);
  await pass(5_000, () => ingesting.isFinished(...small));
  expect(small.map((item) => ingesting.last(item))).toEqual(Array(20).fill('succeeded'));
  for (const other of others) {
    await pass(MINUTE - 5_000);
    void ingesting.write(other);
    await pass(5_000);
    expect(ingesting.last(other)).toBe('succeeded');
    expect(await waiting()).toBe(1);
    expect(ingesting.last(large)).toBeUndefined();
  }
  await pass(3 * MINUTE, () => ingesting.isFinished(large));
  expect(ingesting.last(large)).toBe('failed');
  expect(ingesting.setAside).toEqual([large.upload.requestId]);
  expect(await waiting()).toBe(0);
  expect(ingesting.broken).toEqual([]);
});

test('one for which the server is too small for good is set aside after some hours', async () => {
  const item = itemOf(50);
  const ingesting = new Ingesting([item]);
  ingesting.warehouse.poison = item;
  // No probe of this size ever succeeds.
  ingesting.warehouse.memory = () => MIB + 4 * KIB;
  void ingesting.write(item);
  await pass(6 * 60 * MINUTE, undefined, 10 * MINUTE);
  expect(ingesting.isFinished(item)).toBe(false);
  await pass(24 * 60 * MINUTE, () => ingesting.isFinished(item), 10 * MINUTE);
  expect(ingesting.setAside).toEqual([item.upload.requestId]);
});

test('others have the memory of an upload that waits, except while it is tried', async () => {
  const ingesting = new Ingesting(items);
  ingesting.warehouse.memory = () => 2 * MIB;
  void ingesting.write(...items);
  await pass(5 * MINUTE);
  expect([...ingesting.aside]).toEqual([large.upload]);
  ingesting.warehouse.memory = () => Infinity;
  await pass(2 * MINUTE, () => ingesting.isFinished(large));
  expect([...ingesting.aside]).toEqual([]);
  expect(ingesting.last(large)).toBe('succeeded');
});

test('an upload that cannot be prepared again fails, and others are tried further', async () => {
  const other = itemOf(9_500);
  const ingesting = new Ingesting([...items, other]);
  ingesting.warehouse.memory = () => 2 * MIB;
  void ingesting.write(...items, other);
  await pass(MINUTE);
  ingesting.unprepared = { valid: false, reason: '{}' };
  await pass(2 * MINUTE, () => ingesting.isFinished(large));
  expect(ingesting.last(large)).toBe('failed');
  ingesting.unprepared = undefined;
  ingesting.warehouse.memory = () => Infinity;
  await pass(2 * MINUTE, () => ingesting.isFinished(other));
  expect(['succeeded', 'failed']).toContain(ingesting.last(other));
  expect(ingesting.broken).toEqual([]);
  expect(await waiting()).toBe(0);
});

test.each(['succeeded', 'failed'])(
  'one that was lost and cannot be stored again holds up no other, and has %s in the end',
  async (end) => {
    const ingesting = new Ingesting(items);
    loseLarge(ingesting);
    void ingesting.write(...items);
    await pass(10_000);
    expect(small.map((item) => ingesting.statuses(item))).toEqual(
      Array(20).fill(['ingested', 'succeeded']),
    );
    expect(ingesting.isFinished(...small)).toBe(true);
    expect(ingesting.isFinished(large)).toBe(false);
    expect([...ingesting.aside]).toEqual([large.upload]);
    expect(await waiting()).toBe(1);
    ingesting.warehouse.memory = () => Infinity;
    if (end === 'failed') ingesting.warehouse.poison = large;
    await pass(20 * MINUTE, () => ingesting.isFinished(large));
    expect(ingesting.last(large)).toBe(end);
    expect(ingesting.setAside).toEqual(end === 'failed' ? [large.upload.requestId] : []);
    expect(ingesting.broken).toEqual([]);
    expect(await waiting()).toBe(0);
  },
);

test('one that is read back late is stored, although there was no memory to store it again', async () => {
  const ingesting = new Ingesting(items);
  const { warehouse } = ingesting;
  loseLarge(ingesting);
  void ingesting.write(...items);
  await pass(500, undefined, 100);
  warehouse.stored.add(large.upload.version);
  await pass(5_000, () => ingesting.isFinished(...items));
  expect(ingesting.statuses(large)).toEqual(['ingested', 'succeeded']);
  expect(await waiting()).toBe(0);
  expect(ingesting.broken).toEqual([]);
});

test('one that waited for memory and is lost after that waits again', async () => {
  const ingesting = new Ingesting(items);
  ingesting.warehouse.memory = () => 2 * MIB;
  loseLarge(ingesting);
  void ingesting.write(...items);
  for (const statuses of [[], ['ingested']]) {
    await pass(2 * MINUTE);
    expect(ingesting.statuses(large)).toEqual(statuses);
    expect([...ingesting.aside]).toEqual([large.upload]);
    expect(await waiting()).toBe(1);
    ingesting.warehouse.memory = () => Infinity;
  }
  await pass(2 * MINUTE, () => ingesting.isFinished(large));
  expect(ingesting.last(large)).toBe('succeeded');
  expect(ingesting.broken).toEqual([]);
  expect(await waiting()).toBe(0);
});

test('nothing is tried any more when the process ends', async () => {
  const ingesting = new Ingesting(items);
  ingesting.warehouse.poison = large;
  void ingesting.write(...items);
  await pass(MINUTE);
  aborting.abort();
  await pass(1_000);
  const { length } = ingesting.warehouse.probes;
  await pass(20 * MINUTE);
  expect(ingesting.warehouse.probes).toHaveLength(length);
  expect(ingesting.setAside).toEqual([]);
});

test('lost rows are not looked for any more when the process ends', async () => {
  const ingesting = new Ingesting(small);
  const { warehouse } = ingesting;
  let reads = 0;
  warehouse.beforeReadBack = () => {
    // Ends a loop without pauses.
    if (++reads > 10) throw new Error('read too often');
    warehouse.stored.clear();
  };
  void ingesting.write(...small);
  await pass(2_500, undefined, 100);
  expect(reads).toBe(3);
  aborting.abort();
  await pass(10_000);
  expect(reads).toBe(3);
  expect(ingesting.isFinished(small[0]!)).toBe(false);
});
