import type { FamilyName } from '../domain/families/index.js';
import type { UploadEnd } from '../domain/upload-records.js';
import type { RecordPosition, UploadLog } from '../log/upload-log.js';
import type { Cause, SetAside } from './dead-letter.js';

export interface UploadInLog {
  readonly requestId: string;
  readonly account: string;
  readonly family: FamilyName;
  readonly end: UploadEnd;
  readonly partition: number;
  readonly endOffset: number;
}

/**
 * Copies an upload from the log to the dead-letter topic. Done again (by a replay), it makes a
 * second copy, of which the later counts.
 *
 * @throws LogUnavailableError
 */
export async function setAside(log: UploadLog, upload: UploadInLog, cause: Cause): Promise<void> {
  const { requestId, account, family, end, partition, endOffset } = upload;
  const headers = { requestId, account, family };
  let first: RecordPosition | undefined;
  if (end.firstOffset !== null) {
    for await (const records of log.read('uploads', partition, end.firstOffset, endOffset)) {
      const chunks = records.filter(
        (record) => record.headers['requestId'] === requestId && record.headers['type'] === 'chunk',
      );
      if (chunks.length === 0) continue;
      const [position] = await log.append(
        'dead-letter',
        chunks.map((chunk) => ({
          key: requestId,
          ...(first === undefined ? {} : { partition: first.partition }),
          headers: chunk.headers,
          value: chunk.value,
        })),
      );
      first ??= position;
    }
  }
  const letter: SetAside = { end, firstOffset: first?.offset ?? null, cause };
  await log.append('dead-letter', [
    {
      key: requestId,
      ...(first === undefined ? {} : { partition: first.partition }),
      headers: { ...headers, type: 'set-aside' },
      value: Buffer.from(JSON.stringify(letter)),
    },
  ]);
}
