import type { FamilyName } from '../../domain/families/index.js';
import { beside, copyChunks } from './copy-chunks.js';
import { chunkRunOf } from './read-upload.js';
import type { UploadEnd, UploadInLog } from './upload-records.js';
import type { RecordPosition, RecordToAppend, UploadLog } from '../upload-log.js';

/**
 * The dead-letter topic: uploads that were set aside, whole, because the warehouse rejects them,
 * because preparing them throws, or because processing them ended the process again and again.
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
interface SetAside {
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

type DeadLetterType = 'chunk' | 'set-aside' | 'retried' | 'erased';

/**
 * Copies an upload from the log to the dead-letter topic. A replay may make a second copy; the
 * later one counts.
 *
 * @throws LogUnavailableError
 */
export async function setAside(log: UploadLog, upload: UploadInLog, cause: Cause): Promise<void> {
  const { requestId, account, family, end } = upload;
  const { first } = await copyChunks(log, chunkRunOf(upload), 'dead-letter', requestId);
  const letter: SetAside = { end, firstOffset: first?.offset ?? null, cause };
  await log.append('dead-letter', [
    {
      key: requestId,
      ...beside(first),
      headers: { requestId, account, family, type: 'set-aside' },
      value: Buffer.from(JSON.stringify(letter)),
    },
  ]);
}

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

/** Every upload that was set aside, is still kept and was not erased, by request, oldest first. */
export async function listDeadLetters(log: UploadLog): Promise<DeadLetter[]> {
  const letters = new Map<string, DeadLetter>();
  /** Of each account the highest version that was erased. */
  const erased = new Map<string, bigint>();
  const ends = await log.endOffsets('dead-letter');
  for (const [partition, end] of ends.entries()) {
    for await (const records of log.read('dead-letter', partition, 0, end)) {
      for (const record of records) {
        const { headers } = record;
        const type = headers['type'] as DeadLetterType;
        const requestId = headers['requestId']!;
        const account = headers['account']!;
        const known = letters.get(requestId);
        if (type === 'erased') {
          const version = BigInt(record.value.toString('utf8'));
          if (version > (erased.get(account) ?? -1n)) erased.set(account, version);
        } else if (type === 'set-aside') {
          letters.set(requestId, {
            ...(JSON.parse(record.value.toString('utf8')) as SetAside),
            requestId,
            account,
            family: headers['family'] as FamilyName,
            position: { partition, offset: record.offset },
            at: record.timestamp,
            retriedAs: known?.retriedAs,
          });
        } else if (type === 'retried' && known !== undefined) {
          letters.set(requestId, { ...known, retriedAs: record.value.toString('utf8') });
        }
      }
    }
  }
  // Last: an upload that was being set aside may stand behind the record that erases it.
  return [...letters.values()]
    .filter(({ account, end }) => BigInt(end.version) > (erased.get(account) ?? -1n))
    .sort((a, b) => a.at - b.at);
}
