import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

import { afterEach, expect, test } from '@jest/globals';
import { LogFolders } from '../../../support/log/log-folders.js';

const folders = new LogFolders();
afterEach(() => folders.cleanUp());

/** In blocks of 512 bytes. */
const LARGEST_FILE = 4_000;

/** Prints why each of a hundred appends that the file has no room for was refused. */
const APPENDS = `
import { LmdbLog } from './dist/log/lmdb/lmdb-log.js';
const log = LmdbLog.open({ dir: process.argv[1], retentionMs: 60_000, timeoutMs: 10_000 });
const value = Buffer.alloc(3_000);
for (let failures = 0; failures < 100; ) {
  await log.append('uploads', [{ key: 'key', headers: {}, value }]).catch((error) => {
    failures++;
    console.log(error.message);
  });
}
await log.close();`;

test('a failed write is told in a message that fits, and the process goes on', async () => {
  const { stdout } = await promisify(execFile)('sh', [
    '-c',
    `ulimit -f ${LARGEST_FILE}; exec "$0" --input-type=module -e "$1" "$2"`,
    process.execPath,
    APPENDS,
    await folders.folder(),
  ]);
  const messages = stdout.trim().split('\n');
  expect(messages).toHaveLength(100);
  const told =
    /the log did not take the records: File too large: Attempting to write page at position \d+, size \d+$/;
  for (const message of messages) expect(message).toMatch(told);
});
