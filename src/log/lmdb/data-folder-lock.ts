import { join } from 'node:path';
import { open, type RootDatabase, type Transaction } from 'lmdb';
import { openOnce } from './open-once.js';

type Environment = RootDatabase<number, 'holder'>;

/**
 * Locks the data folder of a running service: two services on one folder would consume the same log
 * twice. A process that only appends to the log or reads it needs no lock.
 *
 * It is held through LMDB: a process with an open read transaction is in the table of readers and
 * has a lock of the operating system on its entry, which ends with the process. So nothing is left
 * to clean up, and a reused process id is not mistaken for the holder.
 *
 * @returns gives the folder free again
 * @throws Error, one line that names the folder, when another service holds it
 */
export async function acquireDataFolder(dataDir: string): Promise<() => Promise<void>> {
  const dir = join(dataDir, 'lock');
  const release = openOnce(dir);
  if (release === undefined) throw inUse(dataDir, 'this process');
  let env: Environment | undefined;
  const close = async (): Promise<void> => {
    await env?.close();
    release();
  };
  try {
    env = open({ path: dir, noSubdir: false, overlappingSync: false, encoding: 'json' });
    const presence = enter(env, dataDir);
    const holder = takeOver(env);
    if (holder !== undefined) throw inUse(dataDir, `process ${holder}`);
    return async () => {
      presence.done();
      await close();
    };
  } catch (error) {
    await close();
    throw error;
  }
}

function enter(env: Environment, dataDir: string): Transaction {
  try {
    return env.useReadTransaction();
  } catch (cause) {
    // The lock on the entry of this process id is taken: containers give out the same ids.
    throw inUse(dataDir, `process ${process.pid} of another container`, cause);
  }
}

/** Makes this process the holder and returns undefined, or returns the holder if it is alive. */
function takeOver(env: Environment): number | undefined {
  return env.transactionSync(() => {
    const holder = env.get('holder');
    if (holder !== undefined && holder !== process.pid && isPresent(env, holder)) return holder;
    env.putSync('holder', process.pid);
    return undefined;
  });
}

/** Each line of the reader list begins with a process id; those of dead processes are dropped first. */
function isPresent(env: Environment, pid: number): boolean {
  env.readerCheck();
  return env
    .readerList()
    .split('\n')
    .some((line) => Number.parseInt(line.trim(), 10) === pid);
}

function inUse(dataDir: string, by: string, cause?: unknown): Error {
  return new Error(`DATA_DIR ${dataDir} is in use by another service (${by})`, { cause });
}
