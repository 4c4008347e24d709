import { firstOffsetOf, type UploadInLog } from './upload-records.js';
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
  const { requestId, account, family, end, partition, endOffset } = upload;
  const from = firstOffsetOf(end, endOffset);
  const chunks = { topic: 'uploads', requestId, partition, from, to: endOffset } as const;
  const { first } = await copyChunks(log, chunks, 'dead-letter', requestId);
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
