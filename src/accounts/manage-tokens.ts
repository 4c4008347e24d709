import { randomBytes } from 'node:crypto';
import { replaceFile, withFileLock } from './file-lock.js';
import { hashOfToken, newToken } from './token-lookup.js';
import { formatTokenRecords, listTokens, type TokenRecord } from './token-records.js';

export type NewToken = Pick<TokenRecord, 'account' | 'role' | 'timeZone'>;

/**
 * Creates a token. The token itself is in the answer and nowhere else.
 *
 * @throws Error when the file cannot be used, or is locked for too long
 */
export async function createToken(
  path: string,
  { account, role, timeZone }: NewToken,
  now: Date = new Date(),
): Promise<{ readonly id: string; readonly token: string }> {
  const token = newToken();
  const id = randomBytes(6).toString('hex');
  await change(path, (records) => [
    ...records,
    {
      id,
      sha256: hashOfToken(token),
      account,
      role,
      timeZone,
      createdAt: now.toISOString(),
      revokedAt: null,
    },
  ]);
  return { id, token };
}

/**
 * Revokes a token for good; one that is revoked already keeps its time. When the file does not have
 * it, the file is only read.
 *
 * @returns the token's record, or undefined when the file has no token of this identifier
 * @throws Error when the file cannot be used, or is locked for too long
 */
export async function revokeToken(
  path: string,
  id: string,
  now: Date = new Date(),
): Promise<TokenRecord | undefined> {
  if (!(await listTokens(path)).some((record) => record.id === id)) return undefined;
  let revoked: TokenRecord | undefined;
  await change(path, (records) =>
    records.map((record) => {
      if (record.id !== id) return record;
      revoked = { ...record, revokedAt: record.revokedAt ?? now.toISOString() };
      return revoked;
    }),
  );
  return revoked;
}

/**
 * Takes every token of an account out of the file, revoked ones too. When there is none, the file
 * is only read: it may be on a file system that takes no writes.
 *
 * @returns how many there were
 * @throws Error when the file cannot be used, or is locked for too long
 */
export async function removeTokensOf(path: string, account: string): Promise<number> {
  if (!(await listTokens(path)).some((record) => record.account === account)) return 0;
  let removed = 0;
  await change(path, (records) => {
    const kept = records.filter((record) => record.account !== account);
    removed = records.length - kept.length;
    return kept;
  });
  return removed;
}

/** Reads, changes and replaces the file as one step among all processes that change it. */
async function change(
  path: string,
  edit: (records: readonly TokenRecord[]) => readonly TokenRecord[],
): Promise<void> {
  await withFileLock(path, async () => {
    const before = await listTokens(path);
    await replaceFile(path, formatTokenRecords(edit(before)), 0o600);
  });
}
