import type { UploadLog } from '../log/upload-log.js';
import type { DeadLetter } from './dead-letter.js';
import { listDeadLetters } from './list.js';
import { setAsideFrom } from './set-aside.js';

/**
 * Sets aside anew what still lies in a partition before an offset, because the records there are about
 * to be deleted. Done again, it makes another copy, of which the last counts.
 *
 * @param isErased letters that are to go with the records
 * @throws LogUnavailableError
 */
export async function carryOver(
  log: UploadLog,
  partition: number,
  before: number,
  isErased: (letter: DeadLetter) => boolean,
): Promise<void> {
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
