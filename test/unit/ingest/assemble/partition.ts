import type { UploadEnd } from '../../../../src/log/uploads/upload-records.js';
import type { LogRecord, UploadLog } from '../../../../src/log/upload-log.js';

/** The hand-written records of one partition, with a log that can read them again. */
export class Partition {
  readonly records: LogRecord[] = [];
  /** The log's clock: the time of the next record. */
  now = 1_000_000;
  /** Retention has removed the records before this offset. */
  firstKept = 0;

  /** Has only `read`, because assembling calls nothing else. */
  readonly log = {
    read: (_topic: string, partition: number, from: number, to: number) =>
      this.read(partition, from, to),
  } as Partial<UploadLog> as UploadLog;

  constructor(private readonly partition = 3) {}

  get end(): number {
    return this.records.length;
  }

  chunk(requestId: string, sequence: number, value: string | Uint8Array): LogRecord {
    const headers = { type: 'chunk', sequence: String(sequence) };
    return this.add(requestId, headers, Buffer.from(value as string));
  }

  finish(requestId: string, chunks: number, firstOffset: number | null, bytes = 0): LogRecord {
    const end: UploadEnd = {
      chunks,
      bytes,
      firstOffset,
      acceptedAt: this.now,
      version: '1',
      finding: null,
      requestDay: 20_000,
      integratedChannels: [],
    };
    return this.add(requestId, { type: 'end' }, Buffer.from(JSON.stringify(end)));
  }

  abort(requestId: string): LogRecord {
    return this.add(requestId, { type: 'abort' }, Buffer.alloc(0));
  }

  private add(
    requestId: string,
    headers: Record<string, string>,
    value: Buffer<ArrayBuffer>,
  ): LogRecord {
    const record: LogRecord = {
      partition: this.partition,
      offset: this.records.length,
      timestamp: this.now,
      key: requestId,
      headers: { ...headers, requestId, account: `account of ${requestId}`, family: 'cost' },
      value,
    };
    this.records.push(record);
    return record;
  }

  private async *read(
    partition: number,
    from: number,
    to: number,
  ): AsyncIterable<readonly LogRecord[]> {
    if (partition !== this.partition) throw new Error('another partition');
    for (let at = Math.max(from, this.firstKept); at < to; at += 2) {
      await Promise.resolve();
      yield this.records.slice(at, Math.min(at + 2, to));
    }
  }
}
