import type { FamilyName } from '../../domain/families/index.js';
import type { LogRecord, RecordToAppend } from '../upload-log.js';

/** What tells an upload apart, and whose it is. */
export interface UploadIdentity {
  readonly requestId: string;
  readonly account: string;
  readonly family: FamilyName;
}

/**
 * An upload in the log: `chunk` records in one partition, then one `end` or `abort`.
 *
 * The headers of each name the upload. A chunk's value is a piece of the (unpacked) CSV bytes, an
 * `end`'s value is JSON of {@link UploadEnd}, an `abort`'s value is empty.
 */
export interface UploadRecordHeaders extends UploadIdentity {
  readonly type: 'chunk' | 'end' | 'abort';
  /** A chunk's place in its upload, from 0, in decimal digits; absent on `end` and `abort`. */
  readonly sequence?: string;
  /** On an `end`: the W3C trace context of the request, if it has one. */
  readonly traceparent?: string;
}

/** Everything besides the bytes that decides the verdict on an upload. */
export interface UploadEnd {
  /** The number of chunks, and the (unpacked) bytes of all of them. */
  readonly chunks: number;
  readonly bytes: number;
  /**
   * The offset of the first chunk in this partition; null for an empty file, and for a file of one
   * chunk, which is appended with the end: see `firstOffsetOf`.
   */
  readonly firstOffset: number | null;
  /** Milliseconds since the epoch at which the file was complete. */
  readonly acceptedAt: number;
  /** Decimal: see `domain/version`. */
  readonly version: string;
  /** Who made the request: a token's id, or `operator:` and a name. Absent in older records. */
  readonly actor?: string;
  /** A fault of the whole file that the gateway found (broken gzip, too large unpacked). */
  readonly finding: string | null;
  /** The day of the request in the account's time zone, as a day count since 1970-01-01. */
  readonly requestDay: number;
  /** Channels with cost integration, which a cost upload may not name. */
  readonly integratedChannels: readonly string[];
}

/**
 * The record that completes an upload.
 *
 * @param place the partition of its chunks, if it has any
 */
export function endRecord(
  { requestId, account, family }: UploadIdentity,
  end: UploadEnd,
  place: { readonly partition?: number },
  traceparent?: string,
): RecordToAppend {
  const trace: { traceparent?: string } = traceparent === undefined ? {} : { traceparent };
  const headers = { requestId, account, family, type: 'end', ...trace };
  return { key: requestId, ...place, headers, value: Buffer.from(JSON.stringify(end)) };
}

/** Whether a record with these headers completes the upload. */
export function isEndOf(requestId: string, headers: LogRecord['headers']): boolean {
  return headers['requestId'] === requestId && headers['type'] === 'end';
}

/** The end in a record's value. Only this service writes the topic. */
export function endIn(value: Buffer): UploadEnd {
  return JSON.parse(value.toString('utf8')) as UploadEnd;
}

/** A complete upload and the place of its `end` record. */
export interface UploadInLog extends UploadIdentity {
  readonly end: UploadEnd;
  readonly partition: number;
  readonly endOffset: number;
}

/** The upload that an `end` record completes. */
export function uploadEndedBy(record: LogRecord): UploadInLog {
  const { requestId, account, family } = record.headers as unknown as UploadRecordHeaders;
  const { partition, offset: endOffset, value } = record;
  return { requestId, account, family, end: endIn(value), partition, endOffset };
}

/**
 * The offset of an upload's first chunk; null for an empty file. A chunk that was appended together
 * with the end stands right before it.
 */
export function firstOffsetOf(end: UploadEnd, endOffset: number): number | null {
  return end.firstOffset ?? (end.chunks === 0 ? null : endOffset - 1);
}
