import {
  CONSUMER_GROUPS,
  type Consumption,
  type LogRecord,
  type RecordHandler,
} from '../log/upload-log.js';
import { setMaxListeners } from 'node:events';
import { join } from 'node:path';

import type { Config } from '../config/config.js';
import { Failure } from '../domain/failure.js';
import { inTime } from '../domain/in-time.js';
import { endIn } from '../log/uploads/upload-records.js';
import { uploadsInFlight } from '../ops/metrics.js';
import { endSpan } from '../ops/tracing.js';
import { Assembler } from './assemble/assembler.js';
import { ChunkStore } from './assemble/chunk-store.js';
import { type ConsumedPartition, EndWatch } from './assemble/end-watch.js';
import { OwnedPartition } from './watermark/owned-partition.js';
import type { IngestDependencies } from './dependencies.js';
import { CrashJournal } from './crash/crash-journal.js';
import { nodeFiles } from './files/node-files.js';
import type { WorkingFiles } from './files/working-files.js';
import { UploadProcessor } from './process-upload.js';
import { PreparePool, type Preparer } from './prepare/prepare-pool.js';
import {
  type CompleteUpload,
  isErased,
  uploadInFlight,
  type UploadInFlight,
} from './upload-in-flight.js';
import { WaitingRoom } from './waiting-room.js';

/** Ends of partitions are looked at no more often than this while uploads are open. */
const LOOK_MS = 10_000;
/** The most uploads that wait for memory outside the room. */
const MOST_OUTSIDE = 1_000;

/** What ingest works with besides its ports. */
export interface IngestTools {
  readonly preparer: Preparer;
  readonly files: WorkingFiles;
}

function toolsOf({ config }: IngestDependencies): IngestTools {
  return { preparer: new PreparePool(config.limits.validationThreads), files: nodeFiles };
}

/**
 * The ingest role: reads the records of the uploads topic and puts uploads together (`records`),
 * takes each to its final status (`process`), and commits last.
 */
export class Ingest implements RecordHandler {
  private readonly failure = new Failure();
  /** Rejects when ingest cannot go on. The process is to end, and the next one replays. */
  readonly failed = this.failure.promise;
  private readonly assignments = new Map<number, ConsumedPartition>();
  private readonly aborting = new AbortController();
  private readonly processor: UploadProcessor;
  private readonly processing = new Set<Promise<unknown>>();
  private readonly room: WaitingRoom;
  private readonly inRoom = new Set<UploadInFlight>();
  /** Uploads that may leave the room once fewer than `MOST_OUTSIDE` are outside. */
  private readonly leaving = new Set<UploadInFlight>();
  private readonly dropAfterMs: number;
  private readonly endWatch: EndWatch;
  private consumption: Consumption | undefined;
  private isStopping = false;

  static async start(
    dependencies: IngestDependencies,
    { preparer, files }: IngestTools = toolsOf(dependencies),
  ): Promise<Ingest> {
    const { config, log, logger } = dependencies;
    const { dataDir, limits } = config;
    const spill = join(dataDir, 'spill');
    // What an earlier process spilled is read from the log again.
    await files.clear(spill);
    const store = new ChunkStore(files, spill, limits.openUploadBytes, logger);
    const journal = new CrashJournal(files, join(dataDir, 'ingest-journal'), logger);
    const ingest = new Ingest(dependencies, store, preparer, journal);
    ingest.consumption = await log.consume('uploads', CONSUMER_GROUPS.ingest.group, ingest);
    ingest.consumption.failed.catch(ingest.failure.report);
    return ingest;
  }

  private constructor(
    private readonly dependencies: IngestDependencies,
    private readonly store: ChunkStore,
    private readonly preparer: Preparer,
    journal: CrashJournal,
  ) {
    const { signal } = this.aborting;
    // Every upload in flight may be waiting for what is away.
    setMaxListeners(0, signal);
    const { limits } = dependencies.config;
    this.room = new WaitingRoom(limits.waitingUploadBytes);
    this.dropAfterMs = dropAfterMs(limits);
    this.endWatch = new EndWatch(
      dependencies.log,
      this.assignments,
      Math.min(this.dropAfterMs / 10, LOOK_MS),
      this.failure.report,
    );
    this.processor = new UploadProcessor(
      dependencies,
      preparer,
      journal,
      () => store.hasUploadsComing,
      this.mayLeave.bind(this),
      signal,
    );
  }

  assigned(partition: number, offset: number): void {
    const owned = new OwnedPartition(
      partition,
      offset,
      () => this.consumption!,
      this.failure.report,
    );
    const { log } = this.dependencies;
    const assembler = new Assembler(log, this.store, owned.watermark, this.dropAfterMs);
    this.assignments.set(partition, { owned, assembler });
  }

  revoked(partition: number): void {
    const assignment = this.assignments.get(partition);
    if (assignment === undefined) return;
    this.assignments.delete(partition);
    assignment.owned.revoked = true;
    assignment.assembler.close().catch(this.failure.report);
    this.room.wake();
  }

  /**
   * Backpressure acts on `end` records only. Pausing on a chunk would deadlock: the `end` that frees
   * memory lies behind it.
   */
  async records(partition: number, records: readonly LogRecord[]): Promise<void> {
    const assignment = this.assignments.get(partition);
    if (assignment === undefined) return;
    const { owned, assembler } = assignment;
    const isWanted = (): boolean => !owned.revoked && !this.isStopping;
    for (const record of records) {
      const bytes = completedBytes(record);
      if (bytes !== undefined && !(await this.room.enter(bytes, isWanted))) return;
      let complete: CompleteUpload | undefined;
      try {
        complete = await assembler.take(record);
      } catch (error) {
        // What it waited for did not come before the stop: the partition's next consumer takes it.
        if (isWanted()) throw error;
      }
      if (complete !== undefined) {
        this.begin(uploadInFlight(complete, owned));
      } else if (bytes !== undefined) this.room.leave(bytes);
      if (!isWanted()) return;
    }
    owned.commitSoon();
  }

  /**
   * Reads no further, finishes uploads in flight, commits. What is not finished after `deadlineMs`
   * is left to the next process, which replays it.
   */
  async stop(deadlineMs: number): Promise<void> {
    this.isStopping = true;
    this.endWatch.stop();
    this.store.close();
    for (const { assembler } of this.assignments.values()) assembler.stopWaiting();
    this.room.wake();
    await this.consumption?.stop();
    const ended = Promise.race([Promise.all(this.processing), this.failed]);
    await inTime(ended, deadlineMs, () => undefined).catch(() => undefined);
    this.aborting.abort();
    this.processor.close();
    for (const { owned } of this.assignments.values()) await owned.commitNow();
    await this.preparer.close();
  }

  private begin(upload: UploadInFlight): void {
    this.inRoom.add(upload);
    const processing = this.process(upload)
      .catch(this.failure.report)
      .finally(() => {
        this.processing.delete(processing);
        this.letLeave();
        uploadsInFlight.set(this.processing.size);
      });
    this.processing.add(processing);
    uploadsInFlight.set(this.processing.size);
  }

  private async process(upload: UploadInFlight): Promise<void> {
    // 1. To its final status. A replay may bring back an upload of an erased account: nothing is
    // published about it.
    if (!isErased(this.dependencies.erased, upload)) await this.processor.process(upload);
    const { requestId, owned, span, transition } = upload;
    span.setAttribute('status', transition.status);
    endSpan(span);
    // 2. The watermark no longer waits for its records.
    owned.watermark.release(requestId);
    owned.commitSoon();
    // 3. The next upload may come into memory.
    this.leaving.delete(upload);
    this.leaveRoom(upload);
  }

  /** An upload that may wait for hours makes room for others, unless too many wait like this. */
  private mayLeave(upload: UploadInFlight): void {
    if (this.inRoom.has(upload)) this.leaving.add(upload);
    this.letLeave();
  }

  private letLeave(): void {
    for (const upload of this.leaving) {
      if (this.processing.size - this.inRoom.size >= MOST_OUTSIDE) return;
      this.leaving.delete(upload);
      this.leaveRoom(upload);
    }
  }

  private leaveRoom(upload: UploadInFlight): void {
    if (this.inRoom.delete(upload)) this.room.leave(upload.end.bytes);
  }
}

/** The bytes of the upload that a record completes; undefined for every other record. */
function completedBytes({ headers, value }: LogRecord): number | undefined {
  return headers['type'] === 'end' ? endIn(value).bytes : undefined;
}

/**
 * After so long an upload without an end gets none, or a late one. After its deadline it may still
 * wait for its chunks, for its idempotency key (three times) and for the end, each as long as the
 * log may take. Twice that, for clocks and queues slower than their timeouts.
 */
function dropAfterMs({ uploadDeadlineMs, logTimeoutMs }: Config['limits']): number {
  return 2 * (uploadDeadlineMs + 5 * logTimeoutMs);
}
