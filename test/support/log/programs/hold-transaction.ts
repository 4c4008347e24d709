/** Keeps every other process from writing to a log for some milliseconds. */
import { open } from 'lmdb';

const [dir, milliseconds] = process.argv.slice(2);
const env = open({ path: dir!, noSubdir: false, overlappingSync: false });
env.transactionSync(() => {
  const wait = new Int32Array(new SharedArrayBuffer(4));
  process.stdout.write('holding\n');
  Atomics.wait(wait, 0, 0, Number(milliseconds));
});
process.stdout.write('released\n');
await env.close();
