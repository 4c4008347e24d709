import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { pino } from 'pino';

import { ChunkStore } from '../../../../src/ingest/assemble/chunk-store.js';
import { nodeFiles } from '../../../../src/ingest/files/node-files.js';
import type { WorkingFiles } from '../../../../src/ingest/files/working-files.js';

/** A store on a test's own folder. */
export function openStore(
  { path }: { readonly path: string },
  memoryBytes: number,
  files: WorkingFiles = nodeFiles,
): Promise<ChunkStore> {
  return ChunkStore.open(files, path, memoryBytes, pino({ level: 'silent' }));
}

/** A folder of a test's own for what open uploads spill. */
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
