/**
 * Appends records to a log without waiting for earlier ones, a few in each turn of the event loop.
 * Prints the offset of each in the order of the calls.
 */
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';

import { LmdbLog } from '../../../../src/log/lmdb/lmdb-log.js';

const [dir, count] = process.argv.slice(2);
const log = LmdbLog.open({ dir: dir!, retentionMs: 60_000, timeoutMs: 10_000 });
const appends = [];
for (let i = 0; i < Number(count); i++) {
  const value = Buffer.from(`other ${i}`);
  appends.push(log.append('uploads', [{ key: 'other', headers: {}, value }]));
  if (i % 3 === 0) await setImmediate();
  if (i % 30 === 0) await sleep(1);
}
for (const [position] of await Promise.all(appends)) process.stdout.write(`${position!.offset}\n`);
await log.close();
