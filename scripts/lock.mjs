/** A lock between the processes of this machine. */
import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const EMPTY_MS = 10_000;

/** Runs `work` while it holds the lock file `path`. Removes the lock of an ended process. */
export async function withLock(path, work) {
  mkdirSync(dirname(path), { recursive: true });
  while (!take(path)) {
    removeIfEnded(path);
    await sleep(200);
  }
  try {
    return await work();
  } finally {
    rmSync(path, { force: true });
  }
}

function take(path) {
  try {
    writeFileSync(path, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
}

function removeIfEnded(path) {
  try {
    const holder = Number(readFileSync(path, 'utf8'));
    // Without a number, its process is about to write it, or the disk was full.
    if (holder === 0 && Date.now() - statSync(path).mtimeMs < EMPTY_MS) return;
    // This process waits. So a process that has ended had its number, as in a container.
    if (holder !== 0 && holder !== process.pid && isRunning(holder)) return;
    const aside = `${path}.${process.pid}`;
    renameSync(path, aside);
    rmSync(aside);
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
  }
}

function isRunning(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code !== 'ESRCH';
  }
}
