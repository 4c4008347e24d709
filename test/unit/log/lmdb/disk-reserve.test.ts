import { setTimeout as sleep } from 'node:timers/promises';

import { expect, test } from '@jest/globals';
import { DiskReserve } from '../../../../src/log/lmdb/disk-reserve.js';

const MIB = 1024 * 1024;
/** Longer than an answer of the disk stays valid. */
const NEXT_LOOK_MS = 20;

/** Returns a disk with `bytes` bytes beyond the reserve. Writes use them up. */
function diskWith(bytes: number) {
  const disk = { free: 64 * MIB + bytes, looks: 0 };
  const reserve = new DiskReserve(
    () => {
      disk.looks++;
      return disk.free;
    },
    () => 0,
  );
  const write = (written: number): Promise<void> =>
    reserve.within(written, () => {
      disk.free -= written;
      return Promise.resolve();
    });
  return { disk, reserve, write };
}

test('the disk is asked once for what comes within some milliseconds', async () => {
  const { disk, write } = diskWith(MIB);
  await Promise.all(Array.from({ length: 100 }, () => write(1_000)));
  expect(disk.looks).toBeLessThan(50);
  await sleep(NEXT_LOOK_MS);
  const before = disk.looks;
  await write(1_000);
  expect(disk.looks).toBe(before + 1);
});

test('what was written since the disk was asked is not promised again', async () => {
  const { write } = diskWith(MIB);
  await write(MIB - 1_000);
  await expect(write(1_001)).rejects.toThrow('the last 64 MiB');
  await write(1_000);
  await expect(write(1)).rejects.toThrow('the last 64 MiB');
});

test('what was written counts once, not again when the disk knows of it', async () => {
  const { write } = diskWith(MIB);
  await write(MIB / 2);
  await sleep(NEXT_LOOK_MS);
  await write(MIB / 2);
  await sleep(NEXT_LOOK_MS);
  await expect(write(1)).rejects.toThrow('the last 64 MiB');
});

test('what is being written counts for as long as the disk may not know of it', async () => {
  const { disk, reserve, write } = diskWith(MIB);
  let end = (): void => undefined;
  const written = reserve.within(MIB, () => new Promise<void>((resolve) => (end = resolve)));
  await sleep(NEXT_LOOK_MS);
  await expect(write(1)).rejects.toThrow('the last 64 MiB');
  // Its bytes are on the disk now, and as many others have been freed.
  end();
  await written;
  await sleep(NEXT_LOOK_MS);
  await write(1);
  expect(disk.free).toBe(65 * MIB - 1);
});
