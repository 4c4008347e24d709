/**
 * Appends to a log endlessly, from several writers, three records at a time. Prints every
 * acknowledged record: its offset, then the process, the writer and the number of its append.
 */
import { LmdbLog } from '../../../../src/log/lmdb/lmdb-log.js';
import { LogUnavailableError } from '../../../../src/log/upload-log.js';

const [dir, bytes] = process.argv.slice(2);
const log = LmdbLog.open({ dir: dir!, retentionMs: 60_000, timeoutMs: 10_000 });

async function write(writer: number): Promise<void> {
  for (let n = 0; ; n++) {
    const append = `${process.pid} ${writer} ${n}`;
    const values = [0, 1, 2].map((i) => Buffer.alloc(Number(bytes), `${append} ${i};`));
    const records = values.map((value) => ({ key: append, headers: { append }, value }));
    const positions = await log.append('uploads', records);
    for (const { offset } of positions) process.stdout.write(`${offset} ${append}\n`);
  }
}

try {
  await Promise.all([0, 1, 2, 3].map(write));
} catch (error) {
  if (!(error instanceof LogUnavailableError)) throw error;
  process.stdout.write('refused\n');
  await log.close();
  process.stdout.write('closed\n');
}
