import { chunkRunOf } from './read-upload.js';
import type { UploadInLog } from './upload-records.js';
import type { UploadLog } from '../upload-log.js';
import { beside, copyChunks } from './copy-chunks.js';
import type { Cause, SetAside } from './dead-letter.js';

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
