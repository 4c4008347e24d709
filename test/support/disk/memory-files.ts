import type { LineFile, WorkingFiles } from '../../../src/ingest/files/working-files.js';

/**
 * Working files in memory, on a disk that can fill up, fail or lose power. Their content outlives
 * the process that wrote it.
 */
export class MemoryFiles implements WorkingFiles {
  private readonly contents = new Map<string, Buffer>();
  /** Maximum size of all files together. */
  roomBytes = Infinity;
  /** When set, every change fails with this error code of the operating system. */
  fault: string | undefined;

  get paths(): string[] {
    return [...this.contents.keys()].sort();
  }

  get bytes(): number {
    return [...this.contents.values()].reduce((sum, { length }) => sum + length, 0);
  }

  /**
   * Simulates a power loss: nothing was synced, so any part of each file's end may be gone.
   *
   * @param random returns a number from 0 (inclusive) to 1 (exclusive)
   */
  losePower(random: () => number): void {
    for (const [path, content] of this.contents) {
      this.contents.set(path, content.subarray(0, Math.floor(random() * (content.length + 1))));
    }
  }

  async clear(folder: string): Promise<void> {
    for (const path of this.paths) {
      if (path.startsWith(`${folder}/`)) await this.remove(path);
    }
  }

  async write(path: string, bytes: Uint8Array, offset: number): Promise<void> {
    await Promise.resolve();
    this.put(path, bytes, offset);
  }

  async read(path: string, into: Uint8Array, offset: number): Promise<void> {
    await Promise.resolve();
    const content = this.contents.get(path);
    if (content === undefined) throw failure('ENOENT');
    if (content.length < offset + into.length) throw new Error(`${path} is shorter than it was`);
    into.set(content.subarray(offset, offset + into.length));
  }

  async remove(path: string): Promise<void> {
    await Promise.resolve();
    this.refuseIfFaulty();
    this.contents.delete(path);
  }

  lines(path: string): LineFile {
    let length = 0;
    return {
      read: () => this.contents.get(path)?.toString() ?? '',
      replace: (text) => {
        this.put(`${path}.new`, Buffer.from(text), 0);
        this.contents.set(path, this.contents.get(`${path}.new`)!);
        this.contents.delete(`${path}.new`);
        length = Buffer.byteLength(text);
      },
      append: (text) => {
        this.put(path, Buffer.from(text), length);
        length += Buffer.byteLength(text);
      },
      close: () => undefined,
      remove: () => {
        this.refuseIfFaulty();
        this.contents.delete(path);
      },
    };
  }

  /** Writes as much as fits, like a real disk. */
  private put(path: string, bytes: Uint8Array, offset: number): void {
    this.refuseIfFaulty();
    const before = this.contents.get(path) ?? Buffer.alloc(0);
    const free = this.roomBytes - (this.bytes - before.length);
    const taken = bytes.subarray(0, Math.max(0, free - offset));
    const end = offset + taken.length;
    const content = Buffer.alloc(Math.max(before.length, end));
    content.set(before);
    content.set(taken, offset);
    // A replacement file starts empty.
    this.contents.set(path, path.endsWith('.new') ? content.subarray(0, end) : content);
    if (taken.length < bytes.length) throw failure('ENOSPC');
  }

  private refuseIfFaulty(): void {
    if (this.fault !== undefined) throw failure(this.fault);
  }
}

function failure(code: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${code}: in memory`), { code });
}
