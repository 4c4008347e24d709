import { Piscina } from 'piscina';

import type { PreparedUpload, Verdict } from '../../csv/verdict.js';
import type { PrepareTask } from './prepare-worker.js';
import { Pool } from '../../domain/memory.js';
import { columnMemoryBytes } from '../../ops/metrics.js';

/** A file to prepare. */
export type PrepareWork = Omit<PrepareTask, 'memory'>;

/** Parses, validates, groups and encodes uploads, several at a time. */
export interface Preparer {
  /** How many at a time. */
  readonly threads: number;

  /**
   * The file's parts may move elsewhere, and are lost with an exception. Rejects when preparing
   * throws.
   */
  run(work: PrepareWork): Promise<Verdict>;

  /**
   * To be called when the upload's columns are no longer needed: the next upload's overwrite them.
   */
  release(upload: PreparedUpload): void;

  close(): Promise<void>;
}

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
      // A thread's next task is there when the last one ends.
      concurrentTasksPerWorker: 2,
    });
    // A thread that dies idle. The death of a busy one rejects its tasks.
    this.pool.on('error', () => undefined);
  }

  /**
   * The task's parts move to the thread, and are lost with an exception. Rejects when preparing
   * throws, and when the thread dies, with every task that it had; another thread takes its place.
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

  release(upload: PreparedUpload): void {
    const memory = this.lent.get(upload);
    this.lent.delete(upload);
    if (memory !== undefined) this.memory.giveBack(memory);
  }

  async close(): Promise<void> {
    await this.pool.close();
  }
}

/**
 * Room for the columns of a self-serve file of 60,000 rows. A cost file with a key in every row needs
 * half of it: 1 MiB of text, and 72 bytes a row for numbers and blank texts. What no file has reached
 * is only address space.
 */
const PIECE_BYTES = 4 * 1024 * 1024;
/** The columns of a smaller file get memory of their own. */
const WORTH_A_PIECE_BYTES = 256 * 1024;
/** This process keeps at most 256 MiB for columns. Cost files reach 128 of them. */
const MAX_PIECES = 64;

/** Memory for the columns of uploads, shared with the preparing threads. */
export class ColumnMemory {
  private made = 0;
  // Buffers that move between threads would count for the collector of each.
  private readonly pieces = new Pool(() => this.make(), MAX_PIECES);

  /**
   * Memory for the columns of a file of so many bytes; undefined: the file's columns get memory of
   * their own.
   */
  lend(fileBytes: number): SharedArrayBuffer | undefined {
    if (fileBytes < WORTH_A_PIECE_BYTES) return undefined;
    const piece = this.pieces.take();
    this.measure();
    return piece;
  }

  giveBack(piece: SharedArrayBuffer): void {
    this.pieces.giveBack(piece);
    this.measure();
  }

  private make(): SharedArrayBuffer | undefined {
    if (this.made === MAX_PIECES) return undefined;
    this.made++;
    return new SharedArrayBuffer(PIECE_BYTES);
  }

  private measure(): void {
    const { free } = this.pieces;
    columnMemoryBytes.set({ state: 'free' }, free * PIECE_BYTES);
    columnMemoryBytes.set({ state: 'lent' }, (this.made - free) * PIECE_BYTES);
  }
}
