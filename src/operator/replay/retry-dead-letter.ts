import { isLogUnavailable, type UploadLog } from '../../log/upload-log.js';
import { acceptAgain } from './accept-again.js';
import type { DeadLetter } from '../../log/uploads/dead-letter.js';

/**
 * Brings an upload back as a new request; the old one stays `failed`. The upload keeps its version,
 * so it does not replace the rows of uploads that were accepted after it.
 *
 * @param actor who brings it back: see `UploadEnd.actor`
 * @returns the new request's id, and whether the dead letter was marked as brought back
 * @throws LogUnavailableError
 */
export async function retryDeadLetter(
  log: UploadLog,
  letter: DeadLetter,
  actor: string,
): Promise<{ requestId: string; isMarked: boolean }> {
  const { account, family, end, position } = letter;
  const chunks = {
    topic: 'dead-letter',
    requestId: letter.requestId,
    partition: position.partition,
    from: letter.firstOffset,
    to: position.offset,
  } as const;
  const requestId = await acceptAgain(log, { account, family, chunks, end }, actor);
  const retried = {
    key: letter.requestId,
    partition: position.partition,
    headers: { type: 'retried', requestId: letter.requestId },
    value: Buffer.from(requestId),
  };
  try {
    await log.append('dead-letter', [retried]);
  } catch (error) {
    if (!isLogUnavailable(error)) throw error;
    return { requestId, isMarked: false };
  }
  return { requestId, isMarked: true };
}
