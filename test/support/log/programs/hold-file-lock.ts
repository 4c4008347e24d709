/** Holds the lock of a file until the process is killed. */
import { withFileLock } from '../../../../src/accounts/file-lock.js';

await withFileLock(process.argv[2]!, () => {
  process.stdout.write('held\n');
  for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
});
