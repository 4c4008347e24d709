import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { isOrGetsInstalled } from '../machine/apt.js';
import { run, runs } from '../service/command.js';
import { describeIf } from '../machine/describe-if.js';
import { DISKS, removeLeftoverDisks, unmountAnyway } from './leftover-disks.js';

const MIB = 1_048_576;

/**
 * Disks in files, mounted below one folder. All of it goes with `close`; what a process that was
 * killed has left behind goes with the next `open`.
 */
export class LoopDisks {
  private readonly mounted: string[] = [];

  private constructor(readonly folder: string) {}

  static open(): LoopDisks {
    removeLeftoverDisks();
    return new LoopDisks(mkdtempSync(`${DISKS}${process.pid}-`));
  }

  /**
   * Makes a file with an empty file system in it. It takes the space that is used of it.
   *
   * @param mkfs the command that makes the file system, without the file
   */
  create(file: string, megabytes: number, mkfs: readonly [string, ...string[]]): void {
    writeFileSync(file, '');
    truncateSync(file, megabytes * MIB);
    const [command, ...args] = mkfs;
    run(command, [...args, file]);
  }

  /** @param options of `mount` */
  mount(what: string, folder: string, ...options: readonly string[]): void {
    mkdirSync(folder, { recursive: true });
    run('mount', [...options, what, folder]);
    this.mounted.push(folder);
  }

  /** Nothing may be open on it. */
  unmount(folder: string): void {
    run('umount', [folder]);
    this.mounted.splice(this.mounted.indexOf(folder), 1);
  }

  close(): void {
    for (const folder of this.mounted.reverse()) unmountAnyway(folder);
    rmSync(this.folder, { recursive: true });
  }
}

/** Tests on disks of their own. Skipped loudly where none can be mounted; a failure in CI. */
export const describeWithDisks = describeIf(
  canMount(),
  'loop devices with ext4 and btrfs cannot be mounted (it takes root)',
);

function canMount(): boolean {
  const areThere = (): boolean => runs('mkfs.ext4', ['-V']) && runs('mkfs.btrfs', ['-V']);
  if (process.getuid?.() !== 0) return false;
  if (!isOrGetsInstalled(areThere, ['e2fsprogs', 'btrfs-progs'])) return false;
  const disks = LoopDisks.open();
  try {
    for (const type of ['ext4', 'btrfs']) {
      const file = join(disks.folder, `${type}.img`);
      disks.create(file, 128, [`mkfs.${type}`, '-q']);
      disks.mount(file, join(disks.folder, type), '-o', 'loop');
    }
    return true;
  } catch {
    return false;
  } finally {
    disks.close();
  }
}
