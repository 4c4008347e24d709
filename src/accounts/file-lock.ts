import { randomUUID } from 'node:crypto';
import type { Stats } from 'node:fs';
import {
  type FileHandle,
  mkdir,
  open,
  realpath,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname } from 'node:path';
import { codeOf } from '../domain/failure.js';
import { Backoff, sleep } from '../domain/retry.js';
import { syncFolder } from '../ops/sync-folder.js';
import { readIfThere, undefinedIfMissing } from './read-if-there.js';

const WAIT_MS = 10_000;
const FIRST_PAUSE_MS = 15;
const LONGEST_PAUSE_MS = 100;
/** Far more than a process takes to write its lock, or to take one over. */
const WRITTEN_MS = 5_000;

interface Holder {
  readonly host: string;
  readonly pid: number;
  readonly started: string | undefined;
  readonly nonce: string;
}

/**
 * Runs `work` while it holds the lock of `path`, the file `<path>.lock`. A lock whose process on
 * this host has ended is taken over, also after a restart of the machine. The file may be on a volume
 * that hosts share, where LMDB's locks, which hold the data folder, do not work.
 *
 * @throws Error after ten seconds of waiting
 */
export async function withFileLock<T>(path: string, work: () => Promise<T>): Promise<T> {
  const lock = `${path}.lock`;
  await mkdir(dirname(path), { recursive: true });
  const holder = await acquire(lock);
  try {
    return await work();
  } finally {
    if ((await readIfThere(lock)) === holder) await rm(lock, { force: true });
  }
}

/**
 * Replaces the file's content as a whole and durably: a reader sees the old or the new. A file that
 * is there keeps its owner, its group and its mode, so that the service can still read it; a link to
 * it stays one.
 *
 * @param mode of a new file
 * @throws when the caller may not give the file to its owner; then it stays as it is
 */
export async function replaceFile(path: string, content: string, mode: number): Promise<void> {
  const target = (await realpath(path).catch(undefinedIfMissing)) ?? path;
  const there = await stat(target).catch(undefinedIfMissing);
  const fresh = `${target}.${randomUUID()}.tmp`;
  try {
    const file = await open(fresh, 'wx', mode);
    try {
      await file.writeFile(content);
      if (there !== undefined) await makeAlike(file, there);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(fresh, target);
  } catch (error) {
    await rm(fresh, { force: true });
    throw error;
  }
  syncFolder(dirname(target));
}

async function makeAlike(file: FileHandle, { uid, gid, mode }: Stats): Promise<void> {
  const own = await file.stat();
  if (own.uid !== uid || own.gid !== gid) await file.chown(uid, gid);
  await file.chmod(mode & 0o777);
}

/** @returns what the lock holds while it is ours */
async function acquire(lock: string): Promise<string> {
  const { pid } = process;
  const holder: Holder = {
    host: hostname(),
    pid,
    started: await startOf(pid),
    nonce: randomUUID(),
  };
  const text = JSON.stringify(holder);
  const backoff = new Backoff(FIRST_PAUSE_MS, LONGEST_PAUSE_MS);
  const until = performance.now() + WAIT_MS;
  while (!(await create(lock, text))) {
    if (await isLeftBehind(lock)) await takeAway(lock);
    if (performance.now() > until) {
      throw new Error(`${lock} is held by another process; delete it if none is running`);
    }
    await sleep(backoff.next());
  }
  return text;
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
 * Removes the lock of a holder that has ended. Others may be about to do the same: so one at a time
 * looks at it again and removes it, under a guard file. A guard that is old is of a process that has
 * ended, too.
 */
async function takeAway(lock: string): Promise<void> {
  const guard = `${lock}.taking`;
  if (!(await create(guard, ''))) {
    if (await isOld(guard)) await rm(guard, { force: true });
    return;
  }
  try {
    if (await isLeftBehind(lock)) await rm(lock, { force: true });
  } finally {
    await rm(guard, { force: true });
  }
}

async function isLeftBehind(lock: string): Promise<boolean> {
  const text = await readIfThere(lock);
  if (text === undefined) return false;
  let holder: Partial<Holder>;
  try {
    holder = JSON.parse(text) as Partial<Holder>;
  } catch {
    // The holder is just writing it, or the machine lost power before the content was on the disk.
    return isOld(lock);
  }
  // Whether a process of another host (on a shared volume) still runs cannot be known.
  if (holder.host !== hostname() || typeof holder.pid !== 'number') return false;
  try {
    process.kill(holder.pid, 0);
  } catch (error) {
    if (codeOf(error) === 'ESRCH') return true;
    // A process of another user may not be signalled, but it runs.
    if (codeOf(error) !== 'EPERM') return false;
  }
  // Another process may have the same id after the machine or the container was restarted.
  return holder.started !== undefined && holder.started !== (await startOf(holder.pid));
}

async function isOld(path: string): Promise<boolean> {
  const state = await stat(path).catch(() => undefined);
  return state !== undefined && Date.now() - state.mtimeMs > WRITTEN_MS;
}

/** When the process has started, as Linux counts it; undefined elsewhere. */
async function startOf(pid: number): Promise<string | undefined> {
  const line = await readIfThere(`/proc/${pid}/stat`).catch(() => undefined);
  // The program's name may hold anything. The fields behind it begin with the third.
  return line?.slice(line.lastIndexOf(')') + 2).split(' ')[22 - 3];
}
