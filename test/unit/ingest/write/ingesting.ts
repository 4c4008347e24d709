import { randomBytes } from 'node:crypto';

import { afterEach, beforeEach, jest } from '@jest/globals';

import { v7 as uuidv7 } from 'uuid';
import { uploaded } from '../../../../src/status/transition.js';
import { transitionOf, TransitionPublisher } from '../../../../src/status/publisher.js';
import type { BatchItem } from '../../../../src/ingest/upload-in-flight.js';
import { OwnedPartition } from '../../../../src/ingest/watermark/owned-partition.js';
import type { Unprepared } from '../../../../src/ingest/prepare/preparation.js';
import type { ValidUpload } from '../../../../src/ingest/upload-in-flight.js';
import { BatchSettler } from '../../../../src/ingest/write/settle-batch.js';
import { WithoutMemory } from '../../../../src/ingest/write/without-memory.js';
import { sleep } from '../../../../src/domain/retry.js';
import { createLogger } from '../../../../src/ops/logger.js';
import { uploadsShortOfMemory } from '../../../../src/ops/metrics.js';
import { beginSpan, SpanKind } from '../../../../src/ops/tracing.js';
import type { InsertSize } from '../../../../src/warehouse/row-store.js';
import { SqlRowStore } from '../../../../src/warehouse/rows/sql-row-store.js';
import { UINT128 } from '../../../../src/warehouse/native/block.js';
import {
  type NativeBlock,
  type Warehouse,
  WarehouseError,
} from '../../../../src/warehouse/warehouse.js';
import { MemoryLog } from '../../../support/gateway/memory-log.js';
import { csv, goodRow, verdictOn } from '../../../support/files/files.js';

export type Prepared = Pick<BatchItem, 'upload'>;

export const MINUTE = 60_000;
export const KIB = 1024;
export const MIB = 1024 * KIB;

/** A warehouse with limited memory for an insert. */
class ShortWarehouse implements Warehouse {
  /** Returns the size of the largest block that it accepts now, in bytes. */
  memory: () => number = () => Infinity;
  /** A larger block, in bytes, has no answer in time. */
  inTime = Infinity;
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
    if (bytes > this.inTime) {
      await sleep(MINUTE);
      throw new WarehouseError('no answer', 'retry');
    }
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
export function itemOf(rows: number): Prepared {
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

/** Each test has its own time. What is under way ends with the test. */
export function useFakeTime(): void {
  beforeEach(() => {
    jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] });
    aborting = new AbortController();
  });
  afterEach(() => {
    aborting.abort();
    jest.useRealTimers();
  });
}

/** As when the process ends. */
export function abort(): void {
  aborting.abort();
}

/** Advances the time step by step, until it is over or `done` returns true. */
export async function pass(
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

export async function waiting(): Promise<number> {
  return (await uploadsShortOfMemory.get()).values[0]?.value ?? 0;
}

/** Batches on their way to a warehouse that has little memory. */
export class Ingesting {
  readonly log = new MemoryLog(1);
  readonly warehouse: ShortWarehouse;
  readonly finished = new Set<Prepared>();
  readonly broken: unknown[] = [];
  /** Uploads whose memory others have. */
  readonly aside = new Set<ValidUpload>();
  /** Why uploads cannot be prepared again. */
  unprepared: Unprepared | undefined;
  private readonly settler: BatchSettler;
  private readonly withoutMemory: WithoutMemory;

  constructor(readonly items: readonly Prepared[]) {
    this.warehouse = new ShortWarehouse(items);
    const { signal } = aborting;
    const erased = { covers: () => false };
    const publisher = new TransitionPublisher(this.log, erased, signal, () => undefined);
    const dependencies = {
      log: this.log,
      rows: new SqlRowStore(this.warehouse, 'custom_data'),
      erased,
      publisher,
      waits: () => undefined,
      logger: createLogger('silent'),
      signal,
    };
    this.settler = new BatchSettler(dependencies);
    this.withoutMemory = new WithoutMemory(dependencies, this.settler, {
      letGo: (upload) => this.aside.add(upload),
      prepareAgain: (upload) => {
        this.aside.delete(upload);
        return Promise.resolve(this.unprepared);
      },
    });
  }

  /** Resolves when the next batch may be written. */
  write(...items: readonly Prepared[]): Promise<void> {
    return this.settler.settle(
      items.map((item) => ({
        ...item,
        resolve: (short) => {
          void this.finish(item, short);
        },
        reject: (error) => this.broken.push(error),
      })),
    );
  }

  private async finish(item: Prepared, short: InsertSize | undefined): Promise<void> {
    try {
      if (short !== undefined) await this.withoutMemory.settle(item.upload, short);
      if (this.finished.has(item)) this.broken.push('finished twice');
      this.finished.add(item);
    } catch (error) {
      this.broken.push(error);
    }
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
