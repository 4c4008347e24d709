import { Piscina } from 'piscina';

import type { CheckedFile, FileToCheck } from './check-file.js';

/** The one thread that checks files for previews. It starts with the first of them. */
export class PreviewThread {
  private pool: Piscina<FileToCheck, CheckedFile> | undefined;

  /**
   * The parts of the file move to the thread. Once the signal is aborted, a file that waits is not
   * checked, and the thread of one that is being checked ends; another thread takes its place.
   *
   * @throws the signal's reason, what the check throws, and an error when the thread dies
   */
  async check(file: FileToCheck, signal: AbortSignal): Promise<CheckedFile> {
    this.pool ??= this.started();
    const transferList = file.parts.map(({ buffer }) => buffer);
    try {
      return await this.pool.run(file, { transferList, signal });
    } catch (error) {
      signal.throwIfAborted();
      throw error;
    }
  }

  async close(): Promise<void> {
    await this.pool?.destroy();
  }

  private started(): Piscina<FileToCheck, CheckedFile> {
    const pool = new Piscina<FileToCheck, CheckedFile>({
      filename: new URL('./preview-worker.js', import.meta.url).href,
      minThreads: 1,
      maxThreads: 1,
    });
    // A thread that dies idle. The death of a busy one rejects its file.
    pool.on('error', () => undefined);
    return pool;
  }
}
