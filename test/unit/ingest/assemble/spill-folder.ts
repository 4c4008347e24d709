import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { pino } from 'pino';

import { ChunkStore } from '../../../../src/ingest/assemble/chunk-store.js';
import { nodeFiles } from '../../../../src/ingest/files/node-files.js';
import type { WorkingFiles } from '../../../../src/ingest/files/working-files.js';

/** Opens a store in the folder of a test. */
export async function openStore(
  { path }: { readonly path: string },
  memoryBytes: number,
  files: WorkingFiles = nodeFiles,
): Promise<ChunkStore> {
  await files.clear(path);
  return new ChunkStore(files, path, memoryBytes, pino({ level: 'silent' }));
}

/** The folder of a test for the spilled parts of open uploads. */
export class SpillFolder {
  private constructor(
    private readonly root: string,
    /** Does not exist yet. */
    readonly path: string,
  ) {}

  static async create(): Promise<SpillFolder> {
    const root = await mkdtemp(join(tmpdir(), 'spill-'));
    return new SpillFolder(root, join(root, 'open'));
  }

  files(): Promise<string[]> {
    return readdir(this.path);
  }

  async remove(): Promise<void> {
    await rm(this.root, { recursive: true });
  }
}
