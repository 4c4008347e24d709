/** A lock between the processes of this machine. */
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
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

/** One process at a time removes: another one might remove the lock that a third has just taken. */
function removeIfEnded(path) {
  const removing = `${path}.removing`;
  if (!hasEnded(path) || !take(removing)) {
    // Whoever removes does so at once, or has ended.
    if (hasEnded(removing)) rmSync(removing, { force: true });
    return;
  }
  try {
    if (hasEnded(path)) rmSync(path);
  } finally {
    rmSync(removing);
  }
}

/** Whether the process that holds the lock has ended. */
function hasEnded(path) {
  try {
    const holder = Number(readFileSync(path, 'utf8'));
    // Without a number, its process is about to write it, or the disk was full.
    if (holder === 0) return Date.now() - statSync(path).mtimeMs > EMPTY_MS;
    // This process waits. So a process that has ended had its number, as in a container.
    return holder === process.pid || !isRunning(holder);
  } catch (error) {
    if (error.code === 'ENOENT') return false;
    throw error;
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
