import { join } from 'node:path';
import { open, type RootDatabase, type Transaction } from 'lmdb';
import { openOnce } from './open-once.js';

/**
 * The data folder of a running service: two services on one folder would consume the same log
 * twice. The command line tool does not take it.
 *
 * It is held through LMDB: a process with an open read transaction stands in the table of readers
 * and has a lock of the operating system on its entry, which falls with the process, however that
 * ends. So nothing is left to clean up, and a reused process id is not mistaken for the holder.
 */
export class DataFolderLock {
  private constructor(
    private readonly env: RootDatabase<number, 'holder'>,
    private readonly presence: Transaction,
    private readonly released: () => void,
  ) {}

  /** @throws Error, one line that names the folder, when another service holds it */
  static async acquire(dataDir: string): Promise<DataFolderLock> {
    const dir = join(dataDir, 'lock');
    const released = claim(dataDir, dir);
    const env = open<number, 'holder'>({
      path: dir,
      noSubdir: false,
      overlappingSync: false,
      encoding: 'json',
    });
    try {
      const presence = env.useReadTransaction();
      const holder = takeOver(env);
      if (holder === undefined) return new DataFolderLock(env, presence, released);
      throw inUse(dataDir, `process ${holder}`);
    } catch (error) {
      await env.close();
      released();
      throw error;
    }
  }

  async release(): Promise<void> {
    this.presence.done();
    await this.env.close();
    this.released();
  }
}

function claim(dataDir: string, dir: string): () => void {
  try {
    return openOnce(dir);
  } catch (cause) {
    throw inUse(dataDir, 'this process', cause);
  }
}

/** Makes this process the holder, unless the holder is alive: then returns it. */
function takeOver(env: RootDatabase<number, 'holder'>): number | undefined {
  return env.transactionSync(() => {
    const holder = env.get('holder');
    if (holder !== undefined && holder !== process.pid && isPresent(env, holder)) return holder;
    env.putSync('holder', process.pid);
    return undefined;
  });
}

/** Each line of the reader list begins with a process id; those of dead processes are dropped first. */
function isPresent(env: RootDatabase<number, 'holder'>, pid: number): boolean {
  env.readerCheck();
  return env
    .readerList()
    .split('\n')
    .some((line) => Number.parseInt(line.trim(), 10) === pid);
}

function inUse(dataDir: string, by: string, cause?: unknown): Error {
  return new Error(`DATA_DIR ${dataDir} is in use by another service (${by})`, { cause });
}
