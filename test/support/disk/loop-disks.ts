import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { isOrGetsInstalled } from '../machine/apt.js';
import { run, runs } from '../service/command.js';
import { DISKS, removeLeftoverDisks, unmountAnyway } from './leftover-disks.js';

const MIB = 1_048_576;

/**
 * Disks in files, mounted below one folder. `close` removes all of them. The next `open` removes
 * what a killed process left behind.
 */
export class LoopDisks {
  private readonly mounted: string[] = [];

  private constructor(readonly folder: string) {}

  static open(): LoopDisks {
    removeLeftoverDisks();
    return new LoopDisks(mkdtempSync(`${DISKS}${process.pid}-`));
  }

  /**
   * Creates a file with an empty file system. The file is sparse: only used space takes disk space.
   *
   * @param mkfs the command that creates the file system, without the file
   */
  create(file: string, megabytes: number, mkfs: readonly [string, ...string[]]): void {
    writeFileSync(file, '');
    truncateSync(file, megabytes * MIB);
    const [command, ...args] = mkfs;
    run(command, [...args, file]);
  }

  /** @param options options of the `mount` command */
  mount(what: string, folder: string, ...options: readonly string[]): void {
    mkdirSync(folder, { recursive: true });
    run('mount', [...options, what, folder]);
    this.mounted.push(folder);
  }

  /** No file on the disk may be open. */
  unmount(folder: string): void {
    run('umount', [folder]);
    this.mounted.splice(this.mounted.indexOf(folder), 1);
  }

  close(): void {
    for (const folder of this.mounted.reverse()) unmountAnyway(folder);
    rmSync(this.folder, { recursive: true });
  }
}

/** Whether this process may mount disks of ext4 and btrfs. Installs what is missing. */
export function canMount(): boolean {
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
