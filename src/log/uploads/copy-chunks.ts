import type { FamilyName } from '../../domain/families/index.js';
import type { UploadEnd } from './upload-records.js';
import type { RecordPosition, Topic, UploadLog } from '../upload-log.js';

/** An upload's chunks in a topic: those of a request in `[from, to)` of one partition. */
export interface ChunkRun {
  readonly topic: Topic;
  readonly requestId: string;
  readonly partition: number;
  /** The offset of the first chunk; null for an empty file. */
  readonly from: number | null;
  readonly to: number;
}

/** An upload whose chunks are in the log. */
export interface StoredUpload {
  readonly account: string;
  readonly family: FamilyName;
  readonly chunks: ChunkRun;
  readonly end: UploadEnd;
}

/**
 * Copies an upload's chunks to one partition of another topic, under `requestId`.
 *
 * @returns the offset of the first one (undefined for an empty file), and their number
 * @throws LogUnavailableError
 */
export async function copyChunks(
  log: UploadLog,
  run: ChunkRun,
  topic: Topic,
  requestId: string,
): Promise<{ first: RecordPosition | undefined; copied: number }> {
  let first: RecordPosition | undefined;
  let copied = 0;
  if (run.from === null) return { first, copied };
  for await (const records of log.read(run.topic, run.partition, run.from, run.to)) {
    for (const { headers, value } of records) {
      if (headers['requestId'] !== run.requestId || headers['type'] !== 'chunk') continue;
      const [position] = await log.append(topic, [
        { key: requestId, ...beside(first), headers: { ...headers, requestId }, value },
      ]);
      first ??= position;
      copied++;
    }
  }
  return { first, copied };
}

/**
 * The records of an upload go to the partition of its first chunk, even if partitions are added.
 */
export function beside(first: RecordPosition | undefined): { partition?: number } {
  return first === undefined ? {} : { partition: first.partition };
}
