import {
  CONSUMER_GROUPS,
  type Consumption,
  type LogRecord,
  type RecordHandler,
  type UploadLog,
} from '../log/upload-log.js';
import { type AuditEvent, auditEventOfRequest, writeAudit } from './audit.js';
import type { ErasedUploads } from '../domain/erased-uploads.js';
import { Failure } from '../domain/failure.js';
import { retrying } from '../domain/retry.js';
import { furtherOf, type Transition } from './transition.js';
import { transitionOf } from './publisher.js';
import type { Logger } from '../ops/logger.js';
import { type Warehouse, waitsForWarehouse } from '../warehouse/warehouse.js';
import type { RequestStore } from './request-store.js';

/** How long transitions are gathered before they are written; meanwhile the live view answers. */
const GATHER_MS = 500;
/** Or until their records have so many bytes. */
const GATHERED_BYTES = 8_388_608;

export interface HistoryWriterDependencies {
  readonly log: UploadLog;
  readonly requests: RequestStore;
  readonly warehouse: Warehouse;
  readonly erased: ErasedUploads;
  readonly logger: Logger;
}

/** A partition from its assignment to its revocation. */
interface Assignment {
  readonly partition: number;
  isRevoked: boolean;
}

/**
 * The status role: writes the transitions of the status topic into the history, in batches, and who
 * made the requests into the audit, and commits last. Waits while the warehouse is away.
 */
export class HistoryWriter implements RecordHandler {
  private readonly failure = new Failure();
  /** Rejects when it cannot go on: the process is to end, and the next one reads again. */
  readonly failed = this.failure.promise;
  private readonly aborting = new AbortController();
  private consumption: Consumption | undefined;
  /** By request its furthest transition since the last write; by assignment the next offset. */
  private gathered = new Map<string, Transition>();
  private next = new Map<Assignment, number>();
  private readonly assignments = new Map<number, Assignment>();
  /** Who has made requests since the last write. */
  private made: AuditEvent[] = [];
  private gatheredBytes = 0;
  private timer: NodeJS.Timeout | undefined;
  /**
   * The last write. Rejected: its records are not written, and nothing after them may be committed.
   */
  private writing: Promise<void> = Promise.resolve();
  private readonly isPassing: (error: unknown) => boolean;

  static async start(dependencies: HistoryWriterDependencies): Promise<HistoryWriter> {
    const writer = new HistoryWriter(dependencies);
    writer.consumption = await dependencies.log.consume(
      'status',
      CONSUMER_GROUPS.history.group,
      writer,
    );
    writer.consumption.failed.catch(writer.failure.report);
    return writer;
  }

  private constructor(private readonly dependencies: HistoryWriterDependencies) {
    this.isPassing = waitsForWarehouse(
      'the warehouse did not take the request history',
      dependencies.logger,
    );
  }

  assigned(partition: number): void {
    this.assignments.set(partition, { partition, isRevoked: false });
  }

  revoked(partition: number): void {
    const assignment = this.assignments.get(partition);
    if (assignment !== undefined) assignment.isRevoked = true;
    this.assignments.delete(partition);
  }

  async records(partition: number, records: readonly LogRecord[]): Promise<void> {
    const assignment = this.assignments.get(partition)!;
    // One write at a time: while it waits for the warehouse, nothing more is read.
    await this.writing;
    for (const record of records) {
      const transition = transitionOf(record.value);
      this.gathered.set(
        transition.requestId,
        furtherOf(this.gathered.get(transition.requestId), transition),
      );
      const made = auditEventOfRequest(transition);
      if (made !== undefined) this.made.push(made);
      this.next.set(assignment, record.offset + 1);
      this.gatheredBytes += record.value.length;
      if (this.gatheredBytes < GATHERED_BYTES) continue;
      await this.beginWrite();
      if (assignment.isRevoked) return;
    }
    this.timer ??= setTimeout(() => void this.beginWrite(), GATHER_MS);
  }

  /** Writes what is gathered and commits it, unless the warehouse is away. */
  async stop(): Promise<void> {
    // First: handed-over records wait for the write, and a stop waits for them.
    this.aborting.abort();
    await this.consumption?.stop();
    clearTimeout(this.timer);
    await this.writing.then(() => this.write()).catch(() => undefined);
  }

  /** Resolves when all that is gathered now is written, or cannot be. */
  private beginWrite(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.writing = this.writing.then(() => this.write());
    return this.writing.catch(this.failure.report);
  }

  private async write(): Promise<void> {
    const transitions = [...this.gathered.values()];
    const offsets = [...this.next];
    const made = this.made;
    this.gathered = new Map();
    this.next = new Map();
    this.made = [];
    this.gatheredBytes = 0;
    if (transitions.length === 0) return;
    const { requests, warehouse, erased } = this.dependencies;
    await retrying(
      async () => {
        // Asked at every attempt: the account may be erased while the warehouse is away.
        await requests.writeTransitions(
          transitions.filter(({ account, version }) => !erased.covers(account, BigInt(version))),
        );
        await writeAudit(warehouse, made);
      },
      this.isPassing,
      this.aborting.signal,
    );
    for (const [{ partition, isRevoked }, next] of offsets) {
      // Another consumer may have committed further before the partition came back.
      if (!isRevoked) await this.consumption?.commit(partition, next);
    }
  }
}
