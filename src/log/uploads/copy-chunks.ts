import type { FamilyName } from '../../domain/families/index.js';
import { type ChunkRun, chunksOf } from './read-upload.js';
import type { UploadEnd } from './upload-records.js';
import type { RecordPosition, Topic, UploadLog } from '../upload-log.js';

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
  for await (const { headers, value } of chunksOf(log, run)) {
    const [position] = await log.append(topic, [
      { key: requestId, ...beside(first), headers: { ...headers, requestId }, value },
    ]);
    first ??= position;
    copied++;
  }
  return { first, copied };
}

/**
 * The records of an upload go to the partition of its first chunk, even if partitions are added.
 */
export function beside(first: RecordPosition | undefined): { partition?: number } {
  return first === undefined ? {} : { partition: first.partition };
}
