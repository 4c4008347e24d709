import { statfs } from 'node:fs/promises';

import { diskFree, diskSize } from './metrics.js';

/** Sets the gauges of the file system that holds the folder. */
export async function measureDisk(folder: string): Promise<void> {
  const { bavail, blocks, bsize } = await statfs(folder);
  diskFree.set(bavail * bsize);
  diskSize.set(blocks * bsize);
}
