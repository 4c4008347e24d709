import { open, rm, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';

import { emptyFolder } from '../../ops/empty-folder.js';
import type { NativeBlock } from '../warehouse.js';

/**
 * Blocks on their way into the engine, which takes binary formats from files only. A file lives as
 * long as its insert and is never synced: the part that the engine writes is what counts.
 */
export class BlockFiles {
  private next = 0;

  private constructor(private readonly folder: string) {}

  /** Clears what an earlier process left behind. */
  static async open(folder: string): Promise<BlockFiles> {
    await emptyFolder(folder);
    return new BlockFiles(folder);
  }

  /** Calls `use` with the path of a file that holds the block, and removes the file after it. */
  async with<T>(block: NativeBlock, use: (path: string) => Promise<T>): Promise<T> {
    const path = join(this.folder, `${this.next++}.native`);
    try {
      const file = await open(path, 'wx');
      try {
        await writeAll(file, block.parts);
      } finally {
        await file.close();
      }
      return await use(path);
    } finally {
      await rm(path, { force: true });
    }
  }
}

async function writeAll(file: FileHandle, parts: readonly Uint8Array[]): Promise<void> {
  let rest = parts.filter((part) => part.length > 0);
  while (rest.length > 0) {
    const { bytesWritten } = await file.writev(rest);
    rest = after(rest, bytesWritten);
  }
}

/** The rest of the parts after so many bytes: a write to a full disk may be short. */
function after(parts: readonly Uint8Array[], bytes: number): Uint8Array[] {
  let skip = bytes;
  let first = 0;
  while (first < parts.length && skip >= parts[first]!.length) skip -= parts[first++]!.length;
  const rest = parts.slice(first);
  if (skip > 0) rest[0] = rest[0]!.subarray(skip);
  return rest;
}
