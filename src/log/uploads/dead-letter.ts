import type { FamilyName } from '../../domain/families/index.js';
import type { UploadEnd } from './upload-records.js';
import type { LogRecord, RecordPosition, RecordToAppend } from '../upload-log.js';

/**
 * The dead-letter topic: uploads that were set aside, whole, because the warehouse rejects them or
 * because processing them ended the process again and again.
 *
 * An upload there is a run of records in one partition: its `chunk`s as they were, then one
 * `set-aside` record with the rest. A `retried` record says that it was brought back, an `erased`
 * record that its account was erased.
 */

/** Why an upload was set aside. */
export type Cause =
  | { readonly kind: 'rejected'; /** ClickHouse's error code. */ readonly code: number | null }
  | { readonly kind: 'crash'; readonly deaths: number }
  /** Preparing it throws. */
  | { readonly kind: 'exception'; /** Its name or code. */ readonly error: string };

/** The JSON in a `set-aside` record. */
export interface SetAside {
  readonly end: UploadEnd;
  /** The offset of its first chunk in this topic; null for an empty file. */
  readonly firstOffset: number | null;
  readonly cause: Cause;
}

/** An upload in the dead-letter topic. */
export interface DeadLetter extends SetAside {
  readonly requestId: string;
  readonly account: string;
  readonly family: FamilyName;
  /** The offset of its `set-aside` record. */
  readonly position: RecordPosition;
  /** When it was set aside, milliseconds since the epoch. */
  readonly at: number;
  /** The request that brought it back; undefined: it has not been brought back. */
  readonly retriedAs: string | undefined;
}

export type DeadLetterType = 'chunk' | 'set-aside' | 'retried' | 'erased';

/**
 * Hides what was set aside of an account up to a version, by one record in each partition. It stays
 * as long as what it hides, because no log deletes a younger record before an older one.
 */
export function erasedRecords(
  account: string,
  version: bigint,
  partitions: number,
): RecordToAppend[] {
  return Array.from({ length: partitions }, (_, partition) => ({
    key: account,
    partition,
    headers: { type: 'erased', account },
    value: Buffer.from(version.toString()),
  }));
}

export function typeOf(record: LogRecord): DeadLetterType {
  return record.headers['type'] as DeadLetterType;
}
