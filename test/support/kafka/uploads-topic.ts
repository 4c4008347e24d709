import { CONSUMER_GROUPS, type LogRecord, type UploadLog } from '../../../src/log/upload-log.js';
import { setTimeout as sleep } from 'node:timers/promises';

import type { UploadEnd } from '../../../src/log/uploads/upload-records.js';

const FINISH_MS = 90_000;

/** All records of one upload, in the order of the log. */
export async function recordsOf(log: UploadLog, requestId: string): Promise<LogRecord[]> {
  const found: LogRecord[] = [];
  for (const [partition, end] of (await log.endOffsets('uploads')).entries()) {
    for await (const records of log.read('uploads', partition, 0, end)) {
      found.push(...records.filter(({ headers }) => headers['requestId'] === requestId));
    }
  }
  return found;
}

/** Appends the upload's records again, with the same version and request id. */
export async function appendAgain(
  log: UploadLog,
  records: readonly LogRecord[],
  partition: number,
): Promise<void> {
  let firstOffset: number | null = null;
  for (const { key, headers, value } of records) {
    const isEnd = headers['type'] === 'end';
    const bytes = isEnd ? endAt(value, firstOffset) : value;
    const [position] = await log.append('uploads', [{ key, partition, headers, value: bytes }]);
    firstOffset ??= position!.offset;
  }
}

/** Resolves when ingest has finished and committed everything. */
export async function ingestIdle(log: UploadLog): Promise<void> {
  const until = Date.now() + FINISH_MS;
  for (;;) {
    const committed = await log.committedOffsets('uploads', CONSUMER_GROUPS.ingest.group);
    const ends = await log.endOffsets('uploads');
    if (ends.every((end, partition) => committed[partition] === end)) return;
    if (Date.now() > until) throw new Error(`committed ${String(committed)} of ${String(ends)}`);
    await sleep(100);
  }
}

function endAt(value: Buffer, firstOffset: number | null): Buffer {
  const end = JSON.parse(value.toString('utf8')) as UploadEnd;
  return Buffer.from(JSON.stringify({ ...end, firstOffset }));
}
