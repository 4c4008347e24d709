import { timeOfUuid } from '../../domain/request-id.js';
import { chunkRunOf } from './read-upload.js';
import { isEndOf, uploadEndedBy } from './upload-records.js';
import type { LogRecord, UploadLog } from '../upload-log.js';
import type { StoredUpload } from './copy-chunks.js';
import { CLOCK_MARGIN_MS, firstKept, offsetsAt } from '../offsets-at.js';

/**
 * The upload of a request in the topic `uploads`; undefined when the log no longer has it.
 *
 * @param requestId of this service: a UUIDv7
 * @param longestMs how long an upload may take
 * @throws LogUnavailableError
 */
export async function findUpload(
  log: UploadLog,
  requestId: string,
  longestMs: number,
): Promise<StoredUpload | undefined> {
  const createdAt = timeOfUuid(requestId);
  if (createdAt === undefined) return undefined;
  // The id has the gateway's time when the upload began, a record the log's.
  const from = await offsetsAt(log, 'uploads', createdAt - CLOCK_MARGIN_MS);
  const to = await offsetsAt(log, 'uploads', createdAt + longestMs + CLOCK_MARGIN_MS);
  for (const [partition, offset] of from.entries()) {
    for await (const records of log.read('uploads', partition, offset, to[partition] ?? offset)) {
      const end = records.find(({ headers }) => isEndOf(requestId, headers));
      if (end !== undefined) return whole(log, end);
    }
  }
  return undefined;
}

/** Undefined when retention has deleted the upload's first chunk. */
async function whole(log: UploadLog, record: LogRecord): Promise<StoredUpload | undefined> {
  const upload = uploadEndedBy(record);
  const { account, family, end } = upload;
  const chunks = chunkRunOf(upload);
  const { partition, from: offset } = chunks;
  if (offset !== null) {
    const first = await firstKept(log, 'uploads', { partition, offset }, offset + 1);
    if (first === undefined) return undefined;
  }
  return { account, family, chunks, end };
}
