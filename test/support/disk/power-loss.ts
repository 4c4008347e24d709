import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { expect } from '@jest/globals';

import { run } from '../service/command.js';
import { LoopDisks } from './loop-disks.js';
import type { ServiceProcess } from '../service/service-process.js';
import { countFault } from '../service/soak.js';

const MEGABYTES = 4_096;
const CONTENT = 'written';

/**
 * A disk whose machine can lose power. After a cut it has only the data that had reached the disk.
 * Data that was still in the system's memory is lost.
 *
 * It is an ext4 in a file on a btrfs. The btrfs copies the whole file at one moment, even while it
 * is being written. Every cut proves itself: a synced file survives it, an unsynced file does not.
 */
export class PowerLossDisk {
  readonly folder: string;
  private readonly disk: string;
  private readonly picture: string;
  private cuts = 0;

  private constructor(private readonly disks: LoopDisks) {
    const outer = join(disks.folder, 'outer');
    this.folder = join(disks.folder, 'disk');
    this.disk = join(outer, 'disk.img');
    this.picture = join(outer, 'picture.img');
    disks.create(`${outer}.img`, 2 * MEGABYTES, ['mkfs.btrfs', '-q']);
    disks.mount(`${outer}.img`, outer, '-o', 'loop');
    disks.create(this.disk, MEGABYTES, ['mkfs.ext4', '-q']);
    disks.mount(this.disk, this.folder, '-o', 'loop');
    write(this.control('synced'), true);
  }

  static create(): PowerLossDisk {
    const disks = LoopDisks.open();
    try {
      return new PowerLossDisk(disks);
    } catch (error) {
      disks.close();
      throw error;
    }
  }

  /**
   * Cuts the power and restores it. Everything that the process output was output before the cut.
   *
   * @param victim the only process that has files on the disk; it may have ended
   * @param moment names the moment where the cut is counted
   */
  async cut(victim: ServiceProcess, moment: string): Promise<void> {
    await standsStill(victim);
    // Not synced: a sync would also write the data of others to the disk.
    write(this.control('written'), false);
    run('cp', ['--reflink=always', this.disk, this.picture]);
    await victim.kill();
    this.disks.unmount(this.folder);
    renameSync(this.picture, this.disk);
    this.disks.mount(this.disk, this.folder, '-o', 'loop');
    this.expectProof();
    countFault(`power lost: ${moment}`);
    this.cuts++;
    write(this.control('synced'), true);
  }

  close(): void {
    this.disks.close();
  }

  private expectProof(): void {
    expect(read(this.control('synced'))).toBe(CONTENT);
    expect(read(this.control('written'))).toBe('');
  }

  /** Returns a separate file for each cut. */
  private control(name: 'synced' | 'written'): string {
    return join(this.folder, `${name}-${this.cuts}`);
  }
}

function write(path: string, isSynced: boolean): void {
  const file = openSync(path, 'wx');
  writeSync(file, CONTENT);
  if (isSynced) fsyncSync(file);
  closeSync(file);
}

/** The file's name may have reached the disk without its content. */
function read(path: string): string {
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
}

/** Stops the process. Resolves when it is stopped, as if its machine were gone. */
async function standsStill({ process }: ServiceProcess): Promise<void> {
  process.kill('SIGSTOP');
  while (process.exitCode === null && process.signalCode === null) {
    const stat = readFileSync(`/proc/${process.pid!}/stat`, 'utf8');
    // The state follows the name of the program, which may contain anything.
    if (/^ [TZ]/.test(stat.slice(stat.lastIndexOf(')') + 1))) return;
    await sleep(1);
  }
}
