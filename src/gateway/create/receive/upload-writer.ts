import {
  endRecord,
  type UploadEnd,
  type UploadIdentity,
  type UploadRecordHeaders,
} from '../../../log/uploads/upload-records.js';
import { LogUnavailableError, type RecordToAppend } from '../../../log/upload-log.js';
import type { ChunkBuffers } from './chunker.js';
import type { TimedLog } from '../timed-log.js';

/**
 * With fewer the log waits for the client: three accept 1.07x the bytes that two do, and 64 uploads
 * hold 8 MiB more while the log hangs. Four accept less than three.
 */
const MAX_UNACKNOWLEDGED = 3;
/**
 * With so many appends of all uploads under way, those of eight uploads, an upload has one at a
 * time: the log has enough to do, and while it hangs, uploads hold less memory.
 */
const ENOUGH_UNDER_WAY = 24;

/** Where an upload's records are, as far as that is known before its end. */
export interface UploadPlace extends Pick<UploadEnd, 'firstOffset'> {
  readonly partition: number;
}

/**
 * Writes the records of one upload to one partition: chunks, then an end or an abort. The last
 * chunk is kept back and goes with the end and the first transition, so a small file waits for the
 * log once, not three times.
 *
 * Everything rejects with LogUnavailableError when the log fails or does not answer in time.
 */
export class UploadWriter {
  readonly partition: number;
  private readonly unacknowledged: Promise<void>[] = [];
  private chunkCount = 0;
  private byteCount = 0;
  private firstOffset: number | null = null;
  private last: Buffer<ArrayBuffer> | undefined;
  private isClosed = false;

  /**
   * @param onFailure called as soon as the log refuses a chunk, which may be long before the next
   * write
   */
  constructor(
    private readonly log: TimedLog,
    private readonly buffers: ChunkBuffers,
    private readonly identity: UploadIdentity,
    private readonly onFailure: (error: unknown) => void,
  ) {
    // Chosen once: partitions may be added while the upload is under way.
    this.partition = parseInt(identity.requestId.slice(-8), 16) % log.partitions('uploads');
  }

  /** Bytes given to `chunk` and `lastChunk`. */
  get bytes(): number {
    return this.byteCount;
  }

  /** Resolves when there is room for another chunk; await it before each. */
  async room(): Promise<void> {
    const most = this.log.underWay < ENOUGH_UNDER_WAY ? MAX_UNACKNOWLEDGED : 1;
    while (this.unacknowledged.length >= most) await this.unacknowledged.shift();
    if (this.isClosed) throw new LogUnavailableError('the upload was given up');
  }

  /** @param value in a buffer of its own, which is reused once the log has it */
  chunk(value: Buffer<ArrayBuffer>): void {
    const sequence = this.chunkCount++;
    this.byteCount += value.length;
    const record = this.chunkRecord(sequence, value);
    const acknowledged = this.log.append('uploads', record).then(({ offset }) => {
      if (sequence === 0) this.firstOffset = offset;
      this.buffers.giveBack(value);
    });
    acknowledged.catch(this.onFailure);
    this.unacknowledged.push(acknowledged);
  }

  /** @param value as of `chunk`; only `end` follows */
  lastChunk(value: Buffer<ArrayBuffer>): void {
    this.last = value;
    this.chunkCount++;
    this.byteCount += value.length;
  }

  /** Resolves when the log has every chunk but the last, with the bytes of all of them. */
  async acknowledged(): Promise<Pick<UploadEnd, 'chunks' | 'bytes' | 'firstOffset'>> {
    await Promise.all(this.unacknowledged);
    return { chunks: this.chunkCount, bytes: this.byteCount, firstOffset: this.firstOffset };
  }

  /**
   * Resolves when the log has the whole upload and its first transition.
   *
   * @param traceparent the trace that the upload's processing belongs to
   * @param transition the upload's first
   */
  async end(
    end: UploadEnd,
    traceparent: string | undefined,
    transition: RecordToAppend,
  ): Promise<void> {
    this.isClosed = true;
    const { identity, last, partition } = this;
    const record = endRecord(identity, end, { partition }, traceparent);
    const chunks = last === undefined ? [] : [this.chunkRecord(this.chunkCount - 1, last)];
    // In this order: a request that is known but has no end would be in flight for ever.
    await this.log.appendInOrder(
      { topic: 'uploads', records: [...chunks, record] },
      { topic: 'status', records: [transition] },
    );
    if (last !== undefined) this.buffers.giveBack(last);
  }

  /**
   * Tells the readers that no end follows, unless one may already be on its way or nothing was
   * written. Never rejects: readers also drop an upload that stays without an end.
   */
  async abort(): Promise<void> {
    if (this.isClosed) return;
    this.isClosed = true;
    const isAnythingWritten = this.chunkCount > (this.last === undefined ? 0 : 1);
    if (!isAnythingWritten) return;
    await Promise.allSettled(this.unacknowledged);
    const record = this.record({ type: 'abort' }, Buffer.alloc(0));
    await this.log.append('uploads', record).catch(() => undefined);
  }

  private chunkRecord(sequence: number, value: Buffer): RecordToAppend {
    return this.record({ type: 'chunk', sequence: String(sequence) }, value);
  }

  private record(
    own: Pick<UploadRecordHeaders, 'type' | 'sequence'>,
    value: Buffer,
  ): RecordToAppend {
    const { requestId, account, family } = this.identity;
    const headers = { requestId, account, family, ...own };
    return { key: requestId, partition: this.partition, headers, value };
  }
}
