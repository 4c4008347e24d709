import { join } from 'node:path';

import { codeOf } from '../../domain/failure.js';
import { openUploadBytes } from '../../ops/metrics.js';
import type { Logger } from '../../ops/logger.js';
import { RareLine } from '../../ops/rare-line.js';
import { FullDisk, hasNoRoom } from '../files/full-disk.js';
import type { WorkingFiles } from '../files/working-files.js';

/**
 * An open upload that has had no chunk for so long may have a slow client: batches do not wait for
 * it.
 */
const COMING_MS = 100;

/** Where a chunk of an open upload is: in memory, or in the upload's spill file. */
type StoredChunk =
  | { readonly length: number; readonly memory: Uint8Array<ArrayBuffer> }
  | { readonly length: number; readonly fileOffset: number };

/** The chunks of one open upload, by sequence number. */
export interface OpenChunks {
  /** The file for chunks that do not stay in memory. */
  readonly file: string;
  readonly chunks: Map<number, StoredChunk>;
  memoryBytes: number;
  fileBytes: number;
  /** Whether the file may be there: a write that fails may leave an empty or a partial one. */
  mayHaveFile: boolean;
  /** When the last of them came, on the clock of `performance.now`. */
  lastAdded: number;
  /** There was no room for one of them: none is kept any more. */
  isGivenUp: boolean;
}

/**
 * Holds the chunks of open uploads: in memory up to a bound for all of them together, beyond it in
 * one file for each upload. The files are a cache of the log and need not outlive the process.
 *
 * An upload for whose chunk there is no room, because the disk is full, loses all its chunks: its
 * end finds them missing. To wait for room would block the partition, and the ends that make room
 * may lie behind.
 */
export class ChunkStore {
  private memoryBytes = 0;
  private fileBytes = 0;
  private created = 0;
  private readonly uploads = new Set<OpenChunks>();
  private readonly fullDisk: FullDisk;
  private readonly noRoom = new RareLine();

  /** @param folder empty */
  constructor(
    private readonly files: WorkingFiles,
    private readonly folder: string,
    private readonly maxMemoryBytes: number,
    private readonly logger: Logger,
  ) {
    this.fullDisk = new FullDisk(logger);
  }

  /** Whether a chunk of an upload that is still open has come just now. */
  get hasUploadsComing(): boolean {
    const since = performance.now() - COMING_MS;
    for (const { lastAdded } of this.uploads) if (lastAdded > since) return true;
    return false;
  }

  create(requestId: string): OpenChunks {
    // A name of its own: the partition may come back and the upload be opened again while its old
    // file is still being removed.
    const file = join(this.folder, `${requestId}.${this.created++}`);
    const lastAdded = performance.now();
    const nothing = { memoryBytes: 0, fileBytes: 0, mayHaveFile: false };
    const upload = { file, chunks: new Map(), ...nothing, lastAdded, isGivenUp: false };
    this.uploads.add(upload);
    return upload;
  }

  /** Adds a chunk if there is room; a producer's duplicate changes nothing. */
  async add(upload: OpenChunks, sequence: number, value: Uint8Array<ArrayBuffer>): Promise<void> {
    upload.lastAdded = performance.now();
    if (upload.isGivenUp || upload.chunks.has(sequence)) return;
    const { length } = value;
    if (this.memoryBytes + length <= this.maxMemoryBytes) {
      upload.chunks.set(sequence, { length, memory: ownBytes(value) });
      upload.memoryBytes += length;
      this.count(length, 0);
      return;
    }
    const fileOffset = upload.fileBytes;
    upload.mayHaveFile = true;
    const isWritten = await this.write(upload.file, value, fileOffset);
    // Dropped meanwhile: nobody needs what was written.
    if (!this.uploads.has(upload)) return this.remove(upload.file);
    if (!isWritten) {
      upload.isGivenUp = true;
      return this.free(upload);
    }
    upload.chunks.set(sequence, { length, fileOffset });
    upload.fileBytes += length;
    this.count(0, length);
  }

  /**
   * The upload's bytes in parts, in order, each in a buffer of its own. The chunks 0 to `count - 1`
   * must all be there.
   */
  async assemble(upload: OpenChunks, count: number): Promise<Uint8Array<ArrayBuffer>[]> {
    const parts: Uint8Array<ArrayBuffer>[] = [];
    for (let i = 0; i < count; i++) {
      const chunk = upload.chunks.get(i)!;
      if ('memory' in chunk) {
        parts.push(chunk.memory);
      } else {
        const part = new Uint8Array(chunk.length);
        const { fileOffset } = chunk;
        await this.fullDisk.outlasting(() => this.files.read(upload.file, part, fileOffset));
        parts.push(part);
      }
    }
    return parts;
  }

  async drop(upload: OpenChunks): Promise<void> {
    this.uploads.delete(upload);
    await this.free(upload);
  }

  /** From now on reading waits for nothing. */
  close(): void {
    this.fullDisk.close();
  }

  private async free(upload: OpenChunks): Promise<void> {
    this.count(-upload.memoryBytes, -upload.fileBytes);
    upload.memoryBytes = 0;
    upload.fileBytes = 0;
    upload.chunks.clear();
    if (upload.mayHaveFile) await this.remove(upload.file);
  }

  /** A full file system that copies on write may refuse even that. The next start removes it. */
  private async remove(file: string): Promise<void> {
    try {
      await this.files.remove(file);
    } catch (error) {
      if (!hasNoRoom(error)) throw error;
    }
  }

  /** Returns false if there is no room. */
  private async write(file: string, value: Uint8Array, offset: number): Promise<boolean> {
    try {
      await this.files.write(file, value, offset);
      return true;
    } catch (error) {
      if (!hasNoRoom(error)) throw error;
      this.noRoom.write(() => {
        this.logger.warn(
          { code: codeOf(error) },
          'there is no room for open uploads: they are read again at their end',
        );
      });
      return false;
    }
  }

  private count(memory: number, file: number): void {
    this.memoryBytes += memory;
    this.fileBytes += file;
    openUploadBytes.set({ place: 'memory' }, this.memoryBytes);
    openUploadBytes.set({ place: 'disk' }, this.fileBytes);
  }
}

/**
 * A part moves to another thread with its whole buffer, which may hold other records that have not
 * been read yet: so each part gets a buffer of its own.
 */
function ownBytes(value: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  return value.buffer.byteLength === value.length ? value : new Uint8Array(value);
}
