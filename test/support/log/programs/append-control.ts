/** Appends control records to a log that another process may have open. */
import { LmdbLog } from '../../../../src/log/lmdb/lmdb-log.js';

const [dir, count] = process.argv.slice(2);
const log = LmdbLog.open({ dir: dir!, retentionMs: 60_000, timeoutMs: 10_000 });
for (let i = 0; i < Number(count); i++) {
  const value = Buffer.from(`other ${i}`);
  const [position] = await log.append('control', [{ key: 'other', headers: {}, value }]);
  process.stdout.write(`${position!.offset}\n`);
}
await log.close();
