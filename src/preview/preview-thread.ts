import { Piscina } from 'piscina';

import type { CheckedFile, FileToCheck } from './check-file.js';

/** The one thread that checks files for previews. It starts with the first of them. */
export class PreviewThread {
  private pool: Piscina<FileToCheck, CheckedFile> | undefined;

  /** The parts of the file are copied. Rejects when the check throws, or the thread dies. */
  check(file: FileToCheck): Promise<CheckedFile> {
    this.pool ??= this.started();
    return this.pool.run(file);
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
