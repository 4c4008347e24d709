import { firstOffsetOf, type UploadInLog } from './upload-records.js';
import type { LogRecord, Topic, UploadLog } from '../upload-log.js';

/** An upload's chunks in a topic: those of a request in `[from, to)` of one partition. */
export interface ChunkRun {
  readonly topic: Topic;
  readonly requestId: string;
  readonly partition: number;
  /** The offset of the first chunk; null for an empty file. */
  readonly from: number | null;
  readonly to: number;
}

/** Where the chunks of an upload are in the topic `uploads`. */
export function chunkRunOf({ requestId, end, partition, endOffset }: UploadInLog): ChunkRun {
  const from = firstOffsetOf(end, endOffset);
  return { topic: 'uploads', requestId, partition, from, to: endOffset };
}

/**
 * The chunks that are still kept, in the order of their offsets, with a producer's duplicates.
 *
 * @throws LogUnavailableError
 */
export async function* chunksOf(
  log: UploadLog,
  { topic, requestId, partition, from, to }: ChunkRun,
): AsyncGenerator<LogRecord> {
  if (from === null) return;
  for await (const records of log.read(topic, partition, from, to)) {
    for (const record of records) {
      const { headers } = record;
      if (headers['requestId'] === requestId && headers['type'] === 'chunk') yield record;
    }
  }
}

/**
 * Reads the file of an upload from the log again, when its parts have been used up; undefined when
 * the log no longer has its chunks.
 *
 * @throws LogUnavailableError
 */
export async function readUpload(
  log: UploadLog,
  upload: UploadInLog,
): Promise<Uint8Array<ArrayBuffer>[] | undefined> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  for await (const { headers, value } of chunksOf(log, chunkRunOf(upload))) {
    // A copy: the buffer may hold other records. A producer's duplicate is equal.
    parts[Number(headers['sequence'])] = new Uint8Array(value);
  }
  const { chunks } = upload.end;
  for (let i = 0; i < chunks; i++) if (parts[i] === undefined) return undefined;
  return parts.slice(0, chunks);
}
