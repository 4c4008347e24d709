import { LogUnavailableError, type UploadLog } from '../log/upload-log.js';
import { type DeadLetter, typeOf } from './dead-letter.js';
import { listDeadLetters } from './list.js';
import { setAsideFrom } from './set-aside.js';

/** An upload whose setting aside takes longer has lost its process: its chunks belong to nothing. */
const UNFINISHED_MS = 600_000;

/**
 * Sets aside anew what still lies in a partition before an offset, because the records there are about
 * to be deleted. Done again, it makes another copy, of which the last counts.
 *
 * @param isErased letters that are to go with the records
 * @throws LogUnavailableError also while an upload is being set aside there
 */
export async function carryOver(
  log: UploadLog,
  partition: number,
  before: number,
  isErased: (letter: DeadLetter) => boolean,
): Promise<void> {
  // In this order: what is begun after this look stands behind the records that are to go.
  await requireFinished(log, partition, before);
  for (const letter of await listDeadLetters(log)) {
    const { requestId, position, firstOffset, retriedAs, cause } = letter;
    const from = firstOffset ?? position.offset;
    if (position.partition !== partition || from >= before) continue;
    if (retriedAs !== undefined || isErased(letter)) continue;
    const to = position.offset;
    const chunks = { topic: 'dead-letter', requestId, partition, from: firstOffset, to } as const;
    await setAsideFrom(log, chunks, letter, cause);
  }
}

async function requireFinished(log: UploadLog, partition: number, before: number): Promise<void> {
  const lastChunkAt = new Map<string, number>();
  const end = (await log.endOffsets('dead-letter'))[partition] ?? 0;
  for await (const records of log.read('dead-letter', partition, 0, end)) {
    for (const record of records) {
      const requestId = record.headers['requestId']!;
      if (typeOf(record) === 'set-aside') lastChunkAt.delete(requestId);
      else if (typeOf(record) === 'chunk' && record.offset < before) {
        lastChunkAt.set(requestId, record.timestamp);
      }
    }
  }
  if ([...lastChunkAt.values()].some((at) => at > Date.now() - UNFINISHED_MS)) {
    throw new LogUnavailableError('an upload is being set aside');
  }
}
