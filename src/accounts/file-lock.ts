import { randomUUID } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { open } from 'lmdb';

/** Of this process: LMDB's locks end when any of its handles on a lock is closed. */
let last: Promise<unknown> = Promise.resolve();

/**
 * Runs `change` while no other process of this machine is in it. The lock is the one that LMDB has
 * for its writers, in the folder `<path>.lock`. It ends with its process, so none is left behind.
 */
export function withFileLock<T>(path: string, change: () => T): Promise<T> {
  const run = async (): Promise<T> => {
    mkdirSync(`${path}.lock`, { recursive: true });
    const lock = open({ path: `${path}.lock`, noSubdir: false, overlappingSync: false });
    try {
      return lock.transactionSync(change);
    } finally {
      await lock.close();
    }
  };
  const turn = last.then(run, run);
  last = turn;
  return turn;
}

/** Replaces the file's content as a whole and durably: a reader sees the old or the new. */
export function replaceFile(path: string, content: string, mode: number): void {
  const fresh = `${path}.${randomUUID()}.tmp`;
  try {
    const file = openSync(fresh, 'wx', mode);
    try {
      writeFileSync(file, content);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(fresh, path);
  } catch (error) {
    rmSync(fresh, { force: true });
    throw error;
  }
  const folder = openSync(dirname(path), 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
