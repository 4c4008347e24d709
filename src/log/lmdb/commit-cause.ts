import { inTime } from '../../domain/in-time.js';

/** The cause is for the message only, and LMDB's library may never tell it. */
const CAUSE_MS = 100;

/** Of a write that was rejected: its cause, a promise, must not stay unhandled. */
export function handled(error: unknown): Error {
  if (!(error instanceof Error)) return new Error(String(error));
  if ('commitError' in error) Promise.resolve(error.commitError).catch(() => undefined);
  return error;
}

/**
 * Why a transaction failed. LMDB's library gives it as a promise, which stays without an answer when
 * the transaction before has not been told of yet.
 *
 * @returns `error` when there is no more to learn
 */
export async function causeOf(error: unknown): Promise<Error> {
  const known = handled(error);
  if (!('commitError' in known)) return known;
  const told = Promise.resolve(known.commitError).catch((reason: unknown) => reason);
  const cause = await inTime(told, CAUSE_MS, () => undefined);
  return cause instanceof Error ? cause : known;
}
