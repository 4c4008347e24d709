import { randomBytes } from 'node:crypto';

import { uuidv7 } from '../domain/requests/request-id.js';
import { timestampOf } from '../domain/requests/transition.js';
import { transitionRecord } from '../domain/requests/transition-record.js';
import type { UploadEnd } from '../domain/upload-records.js';
import type { UploadLog } from '../log/upload-log.js';
import { beside, copyChunks } from './copy-chunks.js';
import type { DeadLetter } from './dead-letter.js';

/**
 * Brings an upload back as a new request: nothing leaves `failed`, so the old one stays what it is.
 * It keeps its version, so it does not replace the rows of uploads that were accepted after it.
 *
 * @returns the new request's id
 * @throws LogUnavailableError
 */
export async function retryDeadLetter(log: UploadLog, letter: DeadLetter): Promise<string> {
  const now = Date.now();
  const requestId = uuidv7(now, randomBytes(10));
  const identity = { requestId, account: letter.account, family: letter.family };
  const run = {
    topic: 'dead-letter',
    requestId: letter.requestId,
    partition: letter.position.partition,
    from: letter.firstOffset,
    to: letter.position.offset,
  } as const;
  const first = await copyChunks(log, run, 'uploads', requestId);
  const end: UploadEnd = { ...letter.end, firstOffset: first?.offset ?? null };
  await log.append('uploads', [
    {
      key: requestId,
      ...beside(first),
      headers: { ...identity, type: 'end' },
      value: Buffer.from(JSON.stringify(end)),
    },
  ]);
  const at = timestampOf(now);
  const { version } = end;
  await log.append('status', [
    transitionRecord({
      ...identity,
      status: 'uploaded',
      prevStatus: null,
      reason: null,
      createdAt: at,
      updatedAt: at,
      version,
      sentMax: version,
    }),
  ]);
  await log.append('dead-letter', [
    {
      key: letter.requestId,
      partition: letter.position.partition,
      headers: { type: 'retried', requestId: letter.requestId },
      value: Buffer.from(requestId),
    },
  ]);
  return requestId;
}
