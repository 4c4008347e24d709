import { firstOffsetOf, type UploadInLog, type UploadRecordHeaders } from './upload-records.js';
import type { UploadLog } from '../upload-log.js';

/**
 * Reads the file of an upload from the log again, when its parts have been used up; undefined when
 * the log no longer has its chunks.
 *
 * @throws LogUnavailableError
 */
export async function readUpload(
  log: UploadLog,
  { requestId, end, partition, endOffset }: UploadInLog,
): Promise<Uint8Array<ArrayBuffer>[] | undefined> {
  const from = firstOffsetOf(end, endOffset);
  if (from === null) return [];
  const parts: Uint8Array<ArrayBuffer>[] = [];
  for await (const records of log.read('uploads', partition, from, endOffset)) {
    for (const { headers, value } of records) {
      const { type, requestId: owner, sequence } = headers as unknown as UploadRecordHeaders;
      // A copy: the buffer may hold other records. A producer's duplicate is equal.
      if (owner === requestId && type === 'chunk') parts[Number(sequence)] = new Uint8Array(value);
    }
  }
  for (let i = 0; i < end.chunks; i++) if (parts[i] === undefined) return undefined;
  return parts.slice(0, end.chunks);
}
