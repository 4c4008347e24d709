import {
  closeSync,
  constants,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { type FileHandle, open, rm } from 'node:fs/promises';

import { codeOf } from '../../domain/failure.js';
import { emptyFolder } from '../../ops/empty-folder.js';
import type { LineFile, WorkingFiles } from './working-files.js';

/** Neither truncates a file nor appends to it: the offset counts. */
const WRITE_AT = constants.O_WRONLY | constants.O_CREAT;

/** Working files on the file system. */
export const nodeFiles: WorkingFiles = {
  clear: emptyFolder,

  async write(path, bytes, offset) {
    await withFile(path, WRITE_AT, async (file) => {
      for (let done = 0; done < bytes.length;) {
        const { bytesWritten } = await file.write(bytes, done, bytes.length - done, offset + done);
        done += bytesWritten;
      }
    });
  },

  async read(path, into, offset) {
    await withFile(path, constants.O_RDONLY, async (file) => {
      // One read may return less than was asked for.
      for (let done = 0; done < into.length;) {
        const { bytesRead } = await file.read(into, done, into.length - done, offset + done);
        if (bytesRead === 0) throw new Error(`${path} is shorter than it was`);
        done += bytesRead;
      }
    });
  },

  async remove(path) {
    await rm(path, { force: true });
  },

  lines(path) {
    return new NodeLineFile(path);
  },
};

async function withFile(
  path: string,
  flags: number,
  work: (file: FileHandle) => Promise<void>,
): Promise<void> {
  const file = await open(path, flags);
  try {
    await work(file);
  } finally {
    await file.close();
  }
}

class NodeLineFile implements LineFile {
  private file: number | undefined;
  private length = 0;

  constructor(private readonly path: string) {}

  read(): string {
    try {
      return readFileSync(this.path, 'utf8');
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return '';
      throw error;
    }
  }

  replace(text: string): void {
    const path = `${this.path}.new`;
    const file = openSync(path, 'w');
    let length: number;
    try {
      length = writeAt(file, text, 0);
      renameSync(path, this.path);
    } catch (error) {
      closeSync(file);
      throw error;
    }
    if (this.file !== undefined) closeSync(this.file);
    this.file = file;
    this.length = length;
  }

  append(text: string): void {
    this.length = writeAt(this.file!, text, this.length);
  }

  close(): void {
    if (this.file !== undefined) closeSync(this.file);
  }

  remove(): void {
    this.close();
    rmSync(this.path, { force: true });
  }
}

/** @returns where the text ends */
function writeAt(file: number, text: string, offset: number): number {
  const bytes = Buffer.from(text);
  for (let done = 0; done < bytes.length;) {
    done += writeSync(file, bytes, done, bytes.length - done, offset + done);
  }
  return offset + bytes.length;
}
