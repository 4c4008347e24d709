import { randomUUID } from 'node:crypto';
import { constants, copyFile, mkdir, open, rename, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { codeOf } from './errno.js';
import { readIfThere } from './read-if-there.js';

const WAIT_MS = 10_000;
const RETRY_MS = 15;

/** Another process holds the lock and does not give it back. The message is one line. */
export class FileLockError extends Error {
  override readonly name = 'FileLockError';
}

interface Holder {
  readonly host: string;
  readonly pid: number;
  readonly nonce: string;
}

/**
 * Runs `work` while no other process does so for the same `path`. The lock is the file
 * `<path>.lock`; that of a process of this host that has ended is taken over.
 *
 * @throws FileLockError after ten seconds of waiting
 */
export async function withFileLock<T>(path: string, work: () => Promise<T>): Promise<T> {
  const lock = `${path}.lock`;
  await mkdir(dirname(path), { recursive: true });
  await acquire(lock);
  try {
    return await work();
  } finally {
    await rm(lock, { force: true });
  }
}

/** Replaces the file's content as a whole and durably: a reader sees the old or the new. */
export async function replaceFile(path: string, content: string, mode: number): Promise<void> {
  const fresh = `${path}.${randomUUID()}.tmp`;
  try {
    const file = await open(fresh, 'wx', mode);
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(fresh, path);
  } catch (error) {
    await rm(fresh, { force: true });
    throw error;
  }
  await syncFolder(dirname(path));
}

async function acquire(lock: string): Promise<void> {
  const mine = JSON.stringify({ host: hostname(), pid: process.pid, nonce: randomUUID() });
  const giveUpAt = Date.now() + WAIT_MS;
  while (!(await create(lock, mine))) {
    const holder = await readIfThere(lock);
    if (holder !== undefined && hasEnded(holder)) {
      await takeAway(lock, holder);
      continue;
    }
    if (Date.now() > giveUpAt) {
      throw new FileLockError(`${lock} is held by another process; delete it if none is running`);
    }
    await sleep(RETRY_MS);
  }
}

async function create(lock: string, holder: string): Promise<boolean> {
  try {
    await writeFile(lock, holder, { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

/**
 * Removes the lock of a holder that has ended. Another process may have done so already and hold a
 * lock of its own by now: what was moved away is looked at, and put back if it is not the one meant.
 */
async function takeAway(lock: string, ended: string): Promise<void> {
  const aside = `${lock}.${randomUUID()}`;
  try {
    await rename(lock, aside);
    if ((await readIfThere(aside)) !== ended) await copyFile(aside, lock, constants.COPYFILE_EXCL);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT' && codeOf(error) !== 'EEXIST') throw error;
  } finally {
    await rm(aside, { force: true });
  }
}

function hasEnded(text: string): boolean {
  let holder: Partial<Holder>;
  try {
    holder = JSON.parse(text) as Partial<Holder>;
  } catch {
    // Its holder is just writing it.
    return false;
  }
  // A process of another host (a shared volume) cannot be asked for.
  if (holder.host !== hostname() || typeof holder.pid !== 'number') return false;
  try {
    process.kill(holder.pid, 0);
    return false;
  } catch (error) {
    return codeOf(error) === 'ESRCH';
  }
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
