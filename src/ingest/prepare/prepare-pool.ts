import { Piscina } from 'piscina';

import type { PreparedUpload, Verdict } from '../../csv/prepared-upload.js';
import { ColumnMemory } from './column-memory.js';
import type { PrepareTask } from './prepare-worker.js';
import type { Preparer, PrepareWork } from './preparer.js';

/** Threads that parse, validate, group and encode, so that the event loop stays free for sockets and the log. */
export class PreparePool implements Preparer {
  private readonly pool: Piscina<PrepareTask, Verdict>;
  private readonly memory = new ColumnMemory();
  private readonly lent = new WeakMap<PreparedUpload, SharedArrayBuffer>();

  /** @param threads how many run, from the start until `close` */
  constructor(readonly threads: number) {
    this.pool = new Piscina<PrepareTask, Verdict>({
      filename: new URL('./prepare-worker.js', import.meta.url).href,
      minThreads: threads,
      maxThreads: threads,
      // The next task is there when the last one ends.
      concurrentTasksPerWorker: 2,
    });
    // Of a thread that dies with nothing to do; those of tasks reject the tasks.
    this.pool.on('error', () => undefined);
  }

  /**
   * The task's parts move to the thread, and are lost with an exception. Rejects when preparing them
   * throws, and when the thread dies, with all that it had: another one takes its place.
   */
  async run(task: PrepareWork): Promise<Verdict> {
    const transferList = task.parts.map(({ buffer }) => buffer);
    const bytes = transferList.reduce((sum, { byteLength }) => sum + byteLength, 0);
    const memory = this.memory.lend(bytes);
    let verdict: Verdict | undefined;
    try {
      verdict = await this.pool.run({ memory, ...task }, { transferList });
    } finally {
      if (memory !== undefined) {
        if (verdict?.valid === true) this.lent.set(verdict.upload, memory);
        else this.memory.giveBack(memory);
      }
    }
    return verdict;
  }

  /** To be called when the upload's columns are no longer needed: the next one's are written over them. */
  release(upload: PreparedUpload): void {
    const memory = this.lent.get(upload);
    this.lent.delete(upload);
    if (memory !== undefined) this.memory.giveBack(memory);
  }

  async close(): Promise<void> {
    await this.pool.close();
  }
}
