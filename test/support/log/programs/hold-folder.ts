/** Takes a data folder, and holds it until it is ended. */
import { DataFolderLock } from '../../../../src/log/lmdb/data-folder-lock.js';

try {
  await DataFolderLock.acquire(process.argv[2]!);
  process.stdout.write('held\n');
  setInterval(() => undefined, 1_000);
} catch (error) {
  process.stdout.write(`${(error as Error).message}\n`);
}
