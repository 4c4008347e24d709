/** Locks a data folder until the process ends. */
import { acquireDataFolder } from '../../../../src/log/lmdb/data-folder-lock.js';

try {
  await acquireDataFolder(process.argv[2]!);
  process.stdout.write('held\n');
  setInterval(() => undefined, 1_000);
} catch (error) {
  process.stdout.write(`${(error as Error).message}\n`);
}
