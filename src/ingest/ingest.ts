import { join } from 'node:path';

import type { Config } from '../config/config.js';
import { FAMILIES, type FamilyName } from '../domain/families/index.js';
import type { Consumption, LogRecord, RecordHandler, UploadLog } from '../log/upload-log.js';
import type { Logger } from '../ops/logger.js';
import { uploadsInFlight } from '../ops/metrics.js';
import type { Warehouse } from '../warehouse/warehouse.js';
import { Assembler } from './assemble/assembler.js';
import { ChunkStore } from './assemble/chunk-store.js';
import { Batcher } from './batch/batcher.js';
import { OwnedPartition } from './commit/owned-partition.js';
import { PreparePool } from './prepare/prepare-pool.js';
import { Preparation } from './prepare/preparation.js';
import { TransitionPublisher } from './transitions.js';
import { uploadInFlight, type UploadInFlight } from './upload-in-flight.js';
import { BatchWriter } from './write/write-batch.js';

/** The consumer group of every ingest process. */
export const INGEST_GROUP = 'ingest';

/** Beyond the upload deadline, for what lies between a gateway's deadline and its last record. */
const GIVE_UP_MARGIN_MS = 60_000;

export interface IngestDependencies {
  readonly config: Config;
  readonly log: UploadLog;
  readonly warehouse: Warehouse;
  readonly logger: Logger;
}

interface Assignment {
  readonly owned: OwnedPartition;
  readonly assembler: Assembler;
  paused: boolean;
}

/**
 * The ingest role: takes whole uploads off the log, validates them, writes them to the warehouse in
 * batches, publishes each transition, and commits last.
 *
 * One loop owns the consumer's state; everything in it happens on the event loop, in this order:
 * assemble → prepare (parse, validate, group, encode: on threads) → batch → write → commit.
 */
export class Ingest implements RecordHandler {
  /** Rejects when ingest cannot go on: the process is to end, and the next one replays. */
  readonly failed: Promise<never>;

  private readonly assignments = new Map<number, Assignment>();
  private readonly batchers: ReadonlyMap<FamilyName, Batcher>;
  private readonly preparation: Preparation;
  private readonly publisher: TransitionPublisher;
  private readonly aborting = new AbortController();
  private consumption: Consumption | undefined;
  private inFlight = 0;
  private waitingBytes = 0;
  private whenEmpty: (() => void) | undefined;
  private readonly broken: (error: unknown) => void;

  static async start(dependencies: IngestDependencies): Promise<Ingest> {
    const { config, log } = dependencies;
    const store = await ChunkStore.open(
      join(config.dataDir, 'spill'),
      config.limits.openUploadBytes,
    );
    const pool = new PreparePool(config.limits.validationThreads);
    const ingest = new Ingest(dependencies, store, pool);
    ingest.consumption = await log.consume('uploads', INGEST_GROUP, ingest);
    ingest.consumption.failed.catch(ingest.broken);
    return ingest;
  }

  private constructor(
    private readonly dependencies: IngestDependencies,
    private readonly store: ChunkStore,
    private readonly pool: PreparePool,
  ) {
    const { config, log, warehouse, logger } = dependencies;
    const { signal } = this.aborting;
    let reject: (error: Error) => void = () => undefined;
    this.failed = new Promise<never>((_, rejectFailed) => (reject = rejectFailed));
    // Handled here so that a failure nobody waits for yet does not end the process by itself.
    this.failed.catch(() => undefined);
    this.broken = (error) => {
      if (!signal.aborted) reject(error instanceof Error ? error : new Error(String(error)));
    };
    this.publisher = new TransitionPublisher(log, signal);
    const writer = new BatchWriter(
      {
        log,
        warehouse,
        database: config.clickhouseDatabase,
        publisher: this.publisher,
        logger,
        signal,
      },
      (upload) => {
        this.finish(upload);
      },
      this.broken,
    );
    this.batchers = new Map(
      FAMILIES.map(({ name }) => [
        name,
        new Batcher(
          config.limits,
          () => !this.preparation.isIdle,
          (batch) => writer.write(batch),
        ),
      ]),
    );
    this.preparation = new Preparation(pool, this.publisher, {
      valid: (flight, prepared) => {
        this.batchers.get(flight.upload.family)!.add({ flight, prepared });
      },
      failed: (upload) => {
        logger.info({ requestId: upload.requestId, account: upload.account }, 'upload failed');
        this.finish(upload);
      },
      idle: () => {
        for (const batcher of this.batchers.values()) batcher.flushIfReady();
      },
      broken: this.broken,
    });
  }

  assigned(partition: number, offset: number): void {
    const owned = new OwnedPartition(partition, offset, () => this.consumption!, this.broken);
    const { log, config } = this.dependencies;
    const giveUpMs = config.limits.uploadDeadlineMs + GIVE_UP_MARGIN_MS;
    const assembler = new Assembler(log, this.store, owned.watermark, giveUpMs);
    this.assignments.set(partition, { owned, assembler, paused: false });
  }

  revoked(partition: number): void {
    const assignment = this.assignments.get(partition);
    if (assignment === undefined) return;
    this.assignments.delete(partition);
    assignment.owned.revoked = true;
    assignment.assembler.close().catch(this.broken);
  }

  async records(partition: number, records: readonly LogRecord[]): Promise<void> {
    const assignment = this.assignments.get(partition);
    if (assignment === undefined) return;
    for (const record of records) {
      const complete = await assignment.assembler.take(record);
      if (complete === undefined) continue;
      const flight = uploadInFlight(complete, assignment.owned);
      this.publisher.observe(flight.version);
      this.inFlight++;
      this.waitingBytes += complete.end.bytes;
      uploadsInFlight.set(this.inFlight);
      this.preparation.add(flight);
    }
    assignment.owned.commitSoon();
    // Only finished uploads pause a partition: the end of an open one lies behind the pause.
    if (this.waitingBytes > this.dependencies.config.limits.waitingUploadBytes) {
      assignment.paused = true;
      this.consumption?.pause(partition);
    }
  }

  /**
   * Reads no further, finishes what is in flight, commits. What is not finished after `deadlineMs`
   * is left to the next process, which replays it.
   */
  async stop(deadlineMs: number): Promise<void> {
    await this.consumption?.stop();
    await Promise.race([this.empty(), this.failed.catch(() => undefined), timeout(deadlineMs)]);
    this.aborting.abort();
    for (const batcher of this.batchers.values()) batcher.close();
    for (const { owned } of this.assignments.values()) await owned.commitNow();
    await this.pool.close();
  }

  private finish(upload: UploadInFlight): void {
    this.inFlight--;
    this.waitingBytes -= upload.upload.end.bytes;
    uploadsInFlight.set(this.inFlight);
    upload.partition.watermark.release(upload.requestId);
    upload.partition.commitSoon();
    if (this.waitingBytes <= this.dependencies.config.limits.waitingUploadBytes / 2) this.resume();
    if (this.inFlight === 0) this.whenEmpty?.();
  }

  private resume(): void {
    for (const [partition, assignment] of this.assignments) {
      if (!assignment.paused) continue;
      assignment.paused = false;
      this.consumption?.resume(partition);
    }
  }

  private empty(): Promise<void> {
    if (this.inFlight === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.whenEmpty = resolve;
    });
  }
}

function timeout(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, milliseconds).unref();
  });
}
