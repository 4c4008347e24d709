import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

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
