import { inTime } from '../../domain/in-time.js';

/** The cause is for the message only, and LMDB's library may never tell it. */
const CAUSE_MS = 100;

/** Marks the cause of a rejected write, a promise, as handled. */
export function handled(error: unknown): Error {
  if (!(error instanceof Error)) return new Error(String(error));
  if ('commitError' in error) Promise.resolve(error.commitError).catch(() => undefined);
  return error;
}

/**
 * Why a transaction failed. LMDB's library gives the cause as a promise, which stays pending until
 * the outcome of the transaction before is reported.
 *
 * @returns `error` when there is no more to learn
 */
export async function causeOf(error: unknown): Promise<Error> {
  const known = handled(error);
  if (!('commitError' in known)) return known;
  const reported = Promise.resolve(known.commitError).catch((reason: unknown) => reason);
  const cause = await inTime(reported, CAUSE_MS, () => undefined);
  return cause instanceof Error ? cause : known;
}
