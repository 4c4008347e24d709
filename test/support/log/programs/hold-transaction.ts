/**
 * Keeps every other process from writing to a log until a file is there, but no longer than some
 * milliseconds.
 */
import { existsSync } from 'node:fs';

import { open } from 'lmdb';

const LOOK_MS = 20;

const [dir, milliseconds, released] = process.argv.slice(2);
const env = open({ path: dir!, noSubdir: false, overlappingSync: false });
env.transactionSync(() => {
  const wait = new Int32Array(new SharedArrayBuffer(4));
  process.stdout.write('holding\n');
  const until = Date.now() + Number(milliseconds);
  while (Date.now() < until && !existsSync(released!)) Atomics.wait(wait, 0, 0, LOOK_MS);
});
process.stdout.write('released\n');
await env.close();
