import { randomBytes } from 'node:crypto';

import { uuidv7 } from '../domain/requests/request-id.js';
import { timestampOf } from '../domain/requests/transition.js';
import { transitionRecord } from '../domain/requests/transition-record.js';
import type { UploadEnd } from '../domain/upload-records.js';
import type { RecordPosition, UploadLog } from '../log/upload-log.js';
import { type DeadLetter, typeOf } from './dead-letter.js';

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
  const first = await copyChunks(log, letter, requestId);
  const end: UploadEnd = { ...letter.end, firstOffset: first?.offset ?? null };
  await log.append('uploads', [
    {
      key: requestId,
      ...(first === undefined ? {} : { partition: first.partition }),
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

/** Copies the chunks to the uploads topic; where the first one stands, undefined for an empty file. */
async function copyChunks(
  log: UploadLog,
  { requestId: oldId, firstOffset, position }: DeadLetter,
  requestId: string,
): Promise<RecordPosition | undefined> {
  if (firstOffset === null) return undefined;
  const { partition, offset } = position;
  let first: RecordPosition | undefined;
  for await (const records of log.read('dead-letter', partition, firstOffset, offset)) {
    for (const record of records) {
      if (record.headers['requestId'] !== oldId || typeOf(record) !== 'chunk') continue;
      const [appended] = await log.append('uploads', [
        {
          key: requestId,
          ...(first === undefined ? {} : { partition: first.partition }),
          headers: { ...record.headers, requestId },
          value: record.value,
        },
      ]);
      first ??= appended;
    }
  }
  return first;
}
