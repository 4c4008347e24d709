import { execFile } from 'node:child_process';
import { closeSync, constants, openSync } from 'node:fs';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { PassThrough, type Readable } from 'node:stream';
import { promisify } from 'node:util';

import { emptyFolder } from '../ops/empty-folder.js';

/** One result on its way from the engine. */
export interface Pipe {
  /** What the engine writes to. */
  readonly path: string;
  readonly output: Readable;
  /** Nobody wants the rest: destroys `output` and discards what the engine still writes. */
  readonly discard: () => void;
  /** The engine is done: `output` ends after what is still in the pipe. */
  readonly finish: () => void;
}

/**
 * Named pipes, through which the engine hands over results. The engine's own streaming interface
 * runs a query's analysis, with its scalar subqueries, on the event loop, and makes every block a
 * document of its own. Into a file it writes on its own thread, in every format, and waits while
 * the reader is slow.
 */
export class Pipes {
  private readonly free: string[];

  private constructor(
    private readonly folder: string,
    paths: readonly string[],
  ) {
    this.free = [...paths];
  }

  /**
   * Clears what an earlier process left behind.
   *
   * @param folder which only one process at a time uses
   */
  static async create(folder: string, count: number): Promise<Pipes> {
    await emptyFolder(folder);
    // Without an extension: the engine would compress by it.
    const paths = Array.from({ length: count }, (_, index) => join(folder, `result-${index}`));
    await promisify(execFile)('mkfifo', ['-m', '600', ...paths]);
    return new Pipes(folder, paths);
  }

  /** @throws Error when more are used at once than were created */
  async use<T>(run: (pipe: Pipe) => Promise<T>): Promise<T> {
    const path = this.free.pop();
    if (path === undefined) throw new Error('no free pipe');
    let pipe: ReturnType<typeof open> | undefined;
    try {
      pipe = open(path);
      return await run(pipe);
    } finally {
      pipe?.close();
      this.free.push(path);
    }
  }

  async remove(): Promise<void> {
    await emptyFolder(this.folder);
  }
}

function open(path: string): Pipe & { close: () => void } {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  let writer: number | undefined;
  try {
    // A writer of our own keeps the pipe from ending before the engine has opened it.
    writer = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
  } catch (error) {
    closeSync(fd);
    throw error;
  }
  const reader = new Socket({ fd, readable: true, writable: false });
  const finish = (): void => {
    if (writer !== undefined) closeSync(writer);
    writer = undefined;
  };
  const output = reader.pipe(new PassThrough());
  reader.on('error', (error) => output.destroy(error));
  return {
    path,
    output,
    finish,
    // The reader stays: without one the engine would wait for ever to open the pipe.
    discard() {
      reader.unpipe(output);
      output.destroy();
      reader.resume();
    },
    // Unread bytes go with the last descriptor; they never reach the next user.
    close() {
      finish();
      output.destroy();
      reader.destroy();
    },
  };
}
