/** Appends to a log without an end, from several writers, and prints every acknowledged offset. */
import { LmdbLog } from '../../../../src/log/lmdb/lmdb-log.js';
import { LogUnavailableError } from '../../../../src/log/upload-log.js';

const [dir, bytes] = process.argv.slice(2);
const log = LmdbLog.open({ dir: dir!, retentionMs: 60_000, timeoutMs: 10_000 });

async function write(writer: number): Promise<void> {
  for (let n = 0; ; n++) {
    // Three records an append: a crash must leave all of them or none.
    const values = [0, 1, 2].map((i) => Buffer.alloc(Number(bytes), `${writer}.${n}.${i};`));
    const records = values.map((value) => ({ key: `${writer}`, headers: { n: `${n}` }, value }));
    const positions = await log.append('uploads', records);
    for (const { offset } of positions) process.stdout.write(`${offset} ${writer} ${n}\n`);
  }
}

try {
  await Promise.all([0, 1, 2, 3].map(write));
} catch (error) {
  if (!(error instanceof LogUnavailableError)) throw error;
  process.stdout.write(`refused\n`);
  await log.close();
  process.stdout.write(`closed\n`);
}
