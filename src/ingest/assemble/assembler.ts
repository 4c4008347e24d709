import {
  firstOffsetOf,
  type UploadEnd,
  type UploadRecordHeaders,
} from '../../domain/upload-records.js';
import type { LogRecord, UploadLog } from '../../log/upload-log.js';
import { openUploads } from '../../ops/metrics.js';
import type { ChunkStore, OpenChunks } from './chunk-store.js';
import type { CompleteUpload } from './complete-upload.js';
import type { Watermark } from '../commit/watermark.js';

interface OpenUpload {
  readonly chunks: OpenChunks;
  /** The log's time of its first record, milliseconds since the epoch. */
  readonly since: number;
}

/**
 * Puts the uploads of one partition together from their records.
 *
 * Chunks of different uploads interleave freely and are ordered by sequence number. An upload
 * without an end is given up only when the partition's own record times have moved on by
 * `giveUpMs`: never by the clock, for the partition may have been paused. Should its end come after
 * all, or lie before what this consumer has read, it is read again from its first chunk.
 */
export class Assembler {
  private readonly open = new Map<string, OpenUpload>();
  /** Ended and aborted uploads by the time of their last record, so that a late duplicate does not reopen one. */
  private readonly closed = new Map<string, number>();
  private isRevoked = false;

  constructor(
    private readonly log: UploadLog,
    private readonly store: ChunkStore,
    private readonly watermark: Watermark,
    private readonly giveUpMs: number,
  ) {}

  /** Takes one record; returns the upload that it completes. */
  async take(record: LogRecord): Promise<CompleteUpload | undefined> {
    // The partition may be revoked amid a batch of its records: the rest of them is another's.
    if (this.isRevoked) return undefined;
    const headers = record.headers as unknown as UploadRecordHeaders;
    const { requestId } = headers;
    let complete: CompleteUpload | undefined;
    if (!this.closed.has(requestId)) {
      this.watermark.hold(requestId, record.offset);
      if (headers.type === 'chunk') {
        await this.addChunk(requestId, Number(headers.sequence), record);
      } else {
        this.closed.set(requestId, record.timestamp);
        if (headers.type === 'end') complete = await this.complete(headers, record);
        else this.watermark.release(requestId);
        await this.forget(requestId);
      }
    }
    this.watermark.advance(record.offset + 1);
    await this.giveUp(record.timestamp);
    return complete;
  }

  /** Frees what open uploads hold; the partition's records are read again by whoever consumes it next. */
  async close(): Promise<void> {
    this.isRevoked = true;
    for (const requestId of [...this.open.keys()]) await this.forget(requestId);
    this.closed.clear();
  }

  private async addChunk(requestId: string, sequence: number, record: LogRecord): Promise<void> {
    let upload = this.open.get(requestId);
    if (upload === undefined) {
      upload = { chunks: this.store.create(requestId), since: record.timestamp };
      this.open.set(requestId, upload);
      openUploads.inc();
    }
    await this.store.add(upload.chunks, sequence, record.value);
  }

  private async complete(headers: UploadRecordHeaders, record: LogRecord): Promise<CompleteUpload> {
    const { requestId, account, family, traceparent } = headers;
    const end = JSON.parse(record.value.toString('utf8')) as UploadEnd;
    let chunks = this.open.get(requestId)?.chunks;
    if (!isWhole(chunks, end)) {
      await this.readAgain(requestId, end, record);
      chunks = this.open.get(requestId)?.chunks;
    }
    const parts = !isWhole(chunks, end)
      ? undefined
      : chunks === undefined
        ? []
        : await this.store.assemble(chunks, end.chunks);
    const { partition, offset } = record;
    return { requestId, account, family, end, partition, endOffset: offset, traceparent, parts };
  }

  private async readAgain(requestId: string, end: UploadEnd, last: LogRecord): Promise<void> {
    const from = firstOffsetOf(end, last.offset);
    if (from === null) return;
    for await (const records of this.log.read('uploads', last.partition, from, last.offset)) {
      for (const record of records) {
        const headers = record.headers as unknown as UploadRecordHeaders;
        if (headers.requestId === requestId && headers.type === 'chunk') {
          await this.addChunk(requestId, Number(headers.sequence), record);
        }
      }
    }
  }

  private async forget(requestId: string): Promise<void> {
    const upload = this.open.get(requestId);
    if (upload === undefined) return;
    this.open.delete(requestId);
    openUploads.dec();
    await this.store.drop(upload.chunks);
  }

  /** Maps keep the order of insertion, and record times never decrease: the oldest come first. */
  private async giveUp(now: number): Promise<void> {
    for (const [requestId, { since }] of this.open) {
      if (now - since <= this.giveUpMs) break;
      await this.forget(requestId);
      this.watermark.release(requestId);
    }
    for (const [requestId, time] of this.closed) {
      if (now - time <= this.giveUpMs) break;
      this.closed.delete(requestId);
    }
  }
}

function isWhole(chunks: OpenChunks | undefined, end: UploadEnd): boolean {
  if (end.chunks === 0) return true;
  if (chunks === undefined) return false;
  for (let i = 0; i < end.chunks; i++) {
    if (!chunks.chunks.has(i)) return false;
  }
  return true;
}
