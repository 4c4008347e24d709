import {
  closeSync,
  fsyncSync,
  openSync,
  rmSync,
  statfsSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { basename, join } from 'node:path';

import { run } from '../service/command.js';
import type { LoopDisks } from './loop-disks.js';
import { countFault } from '../service/soak.js';

const MIB = 1_048_576;
/** Most systems mount their disks like this: after an error the disk turns read-only. */
const OPTIONS = ['-o', 'loop,errors=remount-ro'];

/** A small ext4 disk, mounted at a folder. It can fill up and turn read-only. */
export class SmallDisk {
  private readonly image: string;
  private readonly filler: string;

  /** @param what names the disk where its faults are counted */
  constructor(
    private readonly disks: LoopDisks,
    private readonly folder: string,
    megabytes: number,
    private readonly what: string,
  ) {
    this.image = join(disks.folder, `${basename(folder)}.img`);
    this.filler = join(folder, 'filler');
    // No space is reserved for root, and the block size is that of larger disks.
    disks.create(this.image, megabytes, ['mkfs.ext4', '-q', '-m', '0', '-b', '4096']);
    this.mount();
  }

  /** Fills the disk, except for the given number of megabytes. */
  fill(leftMegabytes: number): void {
    const bytes = this.free() - leftMegabytes * MIB;
    run('fallocate', ['--length', String(bytes), this.filler]);
  }

  /** Fills the rest of the disk. */
  fillUp(): void {
    const file = openSync(this.filler, 'a');
    try {
      for (const block of [MIB, 4_096].map((size) => Buffer.alloc(size))) {
        while (wasWritten(file, block));
      }
    } finally {
      closeSync(file);
    }
  }

  /** Frees the space that `fill` and `fillUp` took. */
  empty(): void {
    rmSync(this.filler);
    countFault(`disk full: ${this.what}`);
  }

  /** Triggers a disk error, after which the system refuses all writes to the file system. */
  turnReadOnly(): void {
    const device = run('findmnt', ['--noheadings', '--output', 'SOURCE', this.folder]).trim();
    writeFileSync(`/sys/fs/ext4/${basename(device)}/trigger_fs_error`, '1');
  }

  /** Repairs the disk as an operator would. No file on it may be open. */
  mend(): void {
    this.disks.unmount(this.folder);
    // Exit code 1: errors were corrected.
    run('sh', ['-c', 'e2fsck -p "$1" || [ $? -eq 1 ]', 'sh', this.image]);
    this.mount();
    countFault(`disk turned read-only: ${this.what}`);
  }

  private mount(): void {
    this.disks.mount(this.image, this.folder, ...OPTIONS);
  }

  private free(): number {
    const { bavail, bsize } = statfsSync(this.folder);
    return bavail * bsize;
  }
}

/** Writes a block and syncs it: without a sync the system has only promised the space. */
function wasWritten(file: number, block: Uint8Array): boolean {
  try {
    writeSync(file, block);
    fsyncSync(file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOSPC') return false;
    throw error;
  }
}
