import { v7 as uuidv7 } from 'uuid';
import { transitionRecord } from '../../status/publisher.js';
import { uploaded } from '../../status/transition.js';
import { endRecord, type UploadEnd } from '../../log/uploads/upload-records.js';
import type { UploadLog } from '../../log/upload-log.js';
import { beside, copyChunks, type StoredUpload } from '../../log/uploads/copy-chunks.js';

/**
 * Makes a new request of an upload: a copy of its chunks, an end and a first transition, in the
 * order in which a gateway writes them. The verdict depends on the day and the channels of the
 * first time.
 *
 * @param upload its end has the version of the new request
 * @param actor who makes it: see `UploadEnd.actor`
 * @returns the new request's id
 * @throws LogUnavailableError
 * @throws Error, one line, when a part of it is missing
 */
export async function acceptAgain(
  log: UploadLog,
  upload: StoredUpload,
  actor: string,
): Promise<string> {
  const { account, family } = upload;
  const acceptedAt = Date.now();
  const requestId = uuidv7({ msecs: acceptedAt });
  const { first, copied } = await copyChunks(log, upload.chunks, 'uploads', requestId);
  // Without an end the chunks count for nothing.
  if (copied < upload.end.chunks) {
    throw new Error(`the log has only ${copied} of the upload's ${upload.end.chunks} chunks left`);
  }
  const end: UploadEnd = { ...upload.end, acceptedAt, actor, firstOffset: first?.offset ?? null };
  const record = endRecord({ requestId, account, family }, end, beside(first));
  const { version, bytes } = end;
  const transition = uploaded(
    { requestId, account, family, version, sentMax: version, bytes },
    acceptedAt,
  );
  await log.appendInOrder([
    { topic: 'uploads', records: [record] },
    { topic: 'status', records: [transitionRecord(transition)] },
  ]);
  return requestId;
}
