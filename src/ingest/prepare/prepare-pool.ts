import { Piscina } from 'piscina';

import type { Verdict } from '../encode/prepared-upload.js';
import type { PrepareTask } from './prepare-worker.js';

/** Threads that parse, validate, group and encode, so that the event loop stays free for sockets and the log. */
export class PreparePool {
  private readonly pool: Piscina<PrepareTask, Verdict>;

  /** @param threads how many run, from the start until `close` */
  constructor(readonly threads: number) {
    this.pool = new Piscina<PrepareTask, Verdict>({
      filename: new URL('./prepare-worker.js', import.meta.url).href,
      minThreads: threads,
      maxThreads: threads,
      // The next task is there when the last one ends.
      concurrentTasksPerWorker: 2,
    });
  }

  /** The task's parts move to the thread. Rejects only when the thread dies. */
  run(task: PrepareTask): Promise<Verdict> {
    return this.pool.run(task, { transferList: task.parts.map(({ buffer }) => buffer) });
  }

  async close(): Promise<void> {
    await this.pool.close();
  }
}
