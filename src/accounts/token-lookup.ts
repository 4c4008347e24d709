import { stat } from 'node:fs/promises';
import { hash, randomBytes } from 'node:crypto';

import { codeOf, messageOf } from '../domain/failure.js';
import type { Logger } from '../ops/logger.js';
import type { TokenHolder } from './account.js';
import { listTokens, type TokenRecord } from './token-records.js';

/** A change has to count within a second; a stat costs microseconds. */
const POLL_MS = 300;

/**
 * The tokens of a file, read again when the file changes.
 *
 * Changes are found by polling, because file system notifications do not cross every kind of mount.
 * No file means no tokens. A file that cannot be used (half written by an editor, say) changes
 * nothing: the tokens read before stay valid, and one error line is logged.
 */
export class TokenFile {
  private holders: ReadonlyMap<string, TokenHolder> = new Map();
  private seen: string | undefined;
  private complaint: string | undefined;
  private timer: NodeJS.Timeout | undefined;
  private stopped = false;

  private constructor(
    private readonly path: string,
    private readonly logger: Logger,
  ) {}

  /**
   * Reads the file and begins to watch it. Watching does not keep the process alive.
   *
   * @throws Error when there is a file that cannot be used; the message is one line
   */
  static async open(path: string, logger: Logger): Promise<TokenFile> {
    const file = new TokenFile(path, logger);
    await file.refresh();
    file.schedule();
    return file;
  }

  holderOf(token: string): TokenHolder | undefined {
    return this.holders.get(hashOfToken(token));
  }

  stop(): void {
    this.stopped = true;
    clearTimeout(this.timer);
  }

  private schedule(): void {
    if (this.stopped) return;
    this.timer = setTimeout(() => {
      this.refresh()
        .then(
          () => (this.complaint = undefined),
          (error: unknown) => {
            this.complain(messageOf(error));
          },
        )
        .finally(() => {
          this.schedule();
        });
    }, POLL_MS);
    this.timer.unref();
  }

  private complain(message: string): void {
    if (message !== this.complaint) {
      this.logger.error(`${message}; the tokens read before it still count`);
    }
    this.complaint = message;
  }

  private async refresh(): Promise<void> {
    // The state is read before the content: a change between the two leads to another read.
    const state = await stateOf(this.path);
    if (state === this.seen) return;
    this.holders = holdersByHash(state === undefined ? [] : await listTokens(this.path));
    this.seen = state;
  }
}

/** A value that differs after any change of the file; undefined when there is no file. */
async function stateOf(path: string): Promise<string | undefined> {
  try {
    const { ino, size, mtimeNs, ctimeNs } = await stat(path, { bigint: true });
    return [ino, size, mtimeNs, ctimeNs].join(' ');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    // A folder that cannot be searched is a state too; the read that follows reports it once.
    return `unknown: ${messageOf(error)}`;
  }
}

function holdersByHash(records: readonly TokenRecord[]): ReadonlyMap<string, TokenHolder> {
  const holders = new Map<string, TokenHolder>();
  for (const { id, sha256, account, role, timeZone, revokedAt } of records) {
    if (revokedAt != null) continue;
    holders.set(sha256, { tokenId: id, account, role, timeZone });
  }
  return holders;
}

/** Lets people and secret scanners recognise a token of this service. */
const PREFIX = 'cdu_';

/** A new token: a prefix and 256 random bits. */
export function newToken(): string {
  return PREFIX + randomBytes(32).toString('base64url');
}

/**
 * The SHA-256 of a token in hexadecimal digits: what it is stored and looked up as.
 *
 * A plain hash is enough, because nobody can guess 256 random bits. The lookup needs no comparison
 * in constant time: its timing could tell digits of the hash, which say nothing about the token.
 */
export function hashOfToken(token: string): string {
  return hash('sha256', token);
}
