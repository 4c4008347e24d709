import type { Session } from 'chdb';

/**
 * To be called after a statement that failed. What it has written stays in its session, and would
 * come before the rows of the next one. Its memory stays, too, and, if it was stopped, its place
 * among running statements. A statement that succeeds clears all of it.
 *
 * @returns whether the session can be used again
 */
export function clearSession(session: Session): Promise<boolean> {
  return session.queryAsync('SELECT 1').then(
    () => true,
    () => false,
  );
}
