import { retrying } from '../../domain/retry.js';
import { readUpload } from '../../log/uploads/read-upload.js';
import {
  type UploadEnd,
  uploadEndedBy,
  type UploadRecordHeaders,
} from '../../log/uploads/upload-records.js';
import { isLogUnavailable, type LogRecord, type UploadLog } from '../../log/upload-log.js';
import { openUploads } from '../../ops/metrics.js';
import type { ChunkStore, OpenChunks } from './chunk-store.js';
import type { CompleteUpload } from '../upload-in-flight.js';
import type { Watermark } from '../watermark/owned-partition.js';

interface OpenUpload {
  readonly chunks: OpenChunks;
  /** The log's time of its first record, milliseconds since the epoch. */
  readonly since: number;
  /** When that record was read, on the clock of `performance.now`, which never steps. */
  readonly readAt: number;
  /** False: the hold of the watermark is that of the same upload, in flight. */
  ownsHold: boolean;
}

/**
 * Puts the uploads of one partition together from their records.
 *
 * Chunks of different uploads interleave freely and are ordered by sequence number. An upload
 * without an end is dropped when the partition's own record times have moved on by `dropAfterMs`, or
 * when the consumer has stood at the end of the partition for that long, because then no record
 * follows that could tell the time. It is never dropped while the partition is paused, however long
 * that takes: its end may be there already. An end that finds chunks missing (they came before what
 * this consumer has read, were dropped, or had no room) has the upload read again from the log.
 */
export class Assembler {
  private readonly open = new Map<string, OpenUpload>();
  /** Ended and aborted uploads by the time of their last record, so that a late duplicate does not reopen one. */
  private readonly closed = new Map<string, number>();
  /** Aborted: the log is not waited for any more. */
  private readonly leaving = new AbortController();
  private isRevoked = false;
  private isTaking = false;
  /**
   * Since when every look has found the consumer at the end of the partition (`performance.now`).
   */
  private atEndSince: number | undefined;

  constructor(
    private readonly log: UploadLog,
    private readonly store: ChunkStore,
    private readonly watermark: Watermark,
    private readonly dropAfterMs: number,
  ) {}

  get hasOpenUploads(): boolean {
    return this.open.size > 0;
  }

  /** Takes one record; returns the upload that it completes. */
  async take(record: LogRecord): Promise<CompleteUpload | undefined> {
    this.isTaking = true;
    try {
      const complete = await this.takeRecord(record);
      // It may have taken long, and the partition's next consumer begins the upload.
      return this.isRevoked ? undefined : complete;
    } finally {
      this.isTaking = false;
    }
  }

  /**
   * To be called regularly while uploads are open: drops those whose end does not come although
   * everything in the partition has been read.
   *
   * @param end the offset that the partition's next record gets; undefined: the log does not tell
   * @param askedAt when the log was asked, on the clock of `performance.now`
   */
  async lookAtEnd(end: number | undefined, askedAt: number): Promise<void> {
    // The record that is being taken may be the end of an open upload.
    const isAtEnd = end !== undefined && this.watermark.position >= end && !this.isTaking;
    if (!isAtEnd) {
      this.atEndSince = undefined;
      return;
    }
    const { atEndSince = askedAt } = this;
    this.atEndSince = atEndSince;
    await this.drop(({ readAt }) => askedAt - Math.max(readAt, atEndSince) > this.dropAfterMs);
  }

  private async takeRecord(record: LogRecord): Promise<CompleteUpload | undefined> {
    // The partition may be revoked in the middle of a batch: another consumer takes the rest.
    if (this.isRevoked) return undefined;
    const headers = record.headers as unknown as UploadRecordHeaders;
    const { requestId } = headers;
    let complete: CompleteUpload | undefined;
    if (!this.closed.has(requestId)) {
      const ownsHold = this.watermark.hold(requestId, record.offset);
      if (headers.type === 'chunk') {
        await this.addChunk(record, ownsHold);
      } else {
        this.closed.set(requestId, record.timestamp);
        if (headers.type === 'end') complete = await this.complete(record);
        else this.watermark.release(requestId);
        await this.forget(requestId);
      }
    }
    this.watermark.advance(record.offset + 1);
    const now = record.timestamp;
    await this.drop(({ since }) => now - since > this.dropAfterMs);
    this.forgetClosed(now);
    return complete;
  }

  /** From now on a log that does not answer is an error. */
  stopWaiting(): void {
    this.leaving.abort();
  }

  /** Frees what open uploads hold; the partition's next consumer reads their records again. */
  async close(): Promise<void> {
    this.isRevoked = true;
    this.stopWaiting();
    for (const requestId of [...this.open.keys()]) await this.forget(requestId);
    this.closed.clear();
  }

  private async addChunk(record: LogRecord, ownsHold: boolean): Promise<void> {
    const { requestId, sequence } = record.headers as unknown as UploadRecordHeaders;
    let upload = this.open.get(requestId);
    if (upload === undefined) {
      upload = {
        chunks: this.store.create(requestId),
        since: record.timestamp,
        readAt: performance.now(),
        ownsHold,
      };
      this.open.set(requestId, upload);
      openUploads.inc();
    } else if (ownsHold) {
      // That of the upload in flight has gone meanwhile.
      upload.ownsHold = true;
    }
    await this.store.add(upload.chunks, Number(sequence), record.value);
  }

  private async complete(record: LogRecord): Promise<CompleteUpload> {
    const { traceparent } = record.headers as unknown as UploadRecordHeaders;
    const upload = uploadEndedBy(record);
    const { requestId, end } = upload;
    const chunks = this.open.get(requestId)?.chunks;
    const parts = isWhole(chunks, end)
      ? await this.store.assemble(chunks, end.chunks)
      : await retrying(() => readUpload(this.log, upload), isLogUnavailable, this.leaving.signal);
    return { ...upload, traceparent, parts };
  }

  private async forget(requestId: string): Promise<void> {
    const upload = this.open.get(requestId);
    if (upload === undefined) return;
    this.open.delete(requestId);
    openUploads.dec();
    await this.store.drop(upload.chunks);
  }

  /** Maps keep the order of insertion, and neither clock steps back: the oldest come first. */
  private async drop(isOverdue: (upload: OpenUpload) => boolean): Promise<void> {
    const overdue: string[] = [];
    // All at once: a record that comes while files are removed may open one of them again.
    for (const [requestId, upload] of this.open) {
      if (!isOverdue(upload)) break;
      overdue.push(requestId);
      if (upload.ownsHold) this.watermark.release(requestId);
    }
    await Promise.all(overdue.map((requestId) => this.forget(requestId)));
  }

  private forgetClosed(now: number): void {
    for (const [requestId, time] of this.closed) {
      if (now - time <= this.dropAfterMs) break;
      this.closed.delete(requestId);
    }
  }
}

function isWhole(chunks: OpenChunks | undefined, end: UploadEnd): chunks is OpenChunks {
  if (chunks === undefined) return false;
  return [...Array(end.chunks).keys()].every((sequence) => chunks.chunks.has(sequence));
}
