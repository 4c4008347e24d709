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
/** As most systems mount their disks: after an error nothing is written any more. */
const OPTIONS = ['-o', 'loop,errors=remount-ro'];

/** An ext4 of some megabytes, mounted at a folder: it can be filled up, and can turn read-only. */
export class SmallDisk {
  private readonly image: string;
  private readonly filler: string;

  constructor(
    private readonly disks: LoopDisks,
    private readonly folder: string,
    megabytes: number,
  ) {
    this.image = join(disks.folder, `${basename(folder)}.img`);
    this.filler = join(folder, 'filler');
    // Nothing of it is kept for root, and its blocks are those of larger disks.
    disks.create(this.image, megabytes, ['mkfs.ext4', '-q', '-m', '0', '-b', '4096']);
    this.mount();
  }

  /** Takes its space but so much of it. */
  fill(leftMegabytes: number): void {
    const bytes = this.free() - leftMegabytes * MIB;
    run('fallocate', ['--length', String(bytes), this.filler]);
  }

  /** Takes the last of its space. */
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

  /** Gives back what `fill` and `fillUp` have taken. */
  empty(): void {
    rmSync(this.filler);
    countFault('disk full');
  }

  /** An error of the disk, after which the system lets nobody write to the file system. */
  turnReadOnly(): void {
    const device = run('findmnt', ['--noheadings', '--output', 'SOURCE', this.folder]).trim();
    writeFileSync(`/sys/fs/ext4/${basename(device)}/trigger_fs_error`, '1');
  }

  /** What an operator does about it. Nothing may be open on the disk. */
  mend(): void {
    this.disks.unmount(this.folder);
    // 1: it has mended something.
    run('sh', ['-c', 'e2fsck -p "$1" || [ $? -eq 1 ]', 'sh', this.image]);
    this.mount();
    countFault('disk turned read-only');
  }

  private mount(): void {
    this.disks.mount(this.image, this.folder, ...OPTIONS);
  }

  private free(): number {
    const { bavail, bsize } = statfsSync(this.folder);
    return bavail * bsize;
  }
}

/** At once on the disk: what the system only promises is not taken yet. */
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
