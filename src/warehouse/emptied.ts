import type { Session } from 'chdb';

/**
 * What a failed statement has written stays in its session, and would come before the rows of the
 * next one. So do its memory and, if it was stopped, its place among running statements. A
 * statement that succeeds takes all of it away.
 *
 * @returns whether the session can be used again
 */
export function isEmptied(session: Session): Promise<boolean> {
  return session.queryAsync('SELECT 1').then(
    () => true,
    () => false,
  );
}
