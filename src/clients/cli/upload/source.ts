import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { addAbortSignal, pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { CommandError } from '../terminal.js';
import type { Progress } from './progress.js';
import { TemporaryFile } from './temporary-file.js';

const PIECE_BYTES = 256 * 1024;
/** What CSV of this kind usually shrinks to. */
const GZIP_RATIO = 12;

/** A file to upload, of any kind, as bytes that can be read once and whose size is known. */
export interface Source {
  readonly name: string;
  /** Bytes of CSV, only a guess when the file is gzip. */
  readonly size: number;
  /** The CSV, unpacked if the file is gzip; a piece is valid until the next one is asked for. */
  pieces(): AsyncIterable<Buffer>;
  /** SHA-256 of the file's bytes, once they have been read. */
  digest(): string;
  close(): Promise<void>;
}

/** What is read of a file. */
export type FileContent = Pick<Source, 'size' | 'pieces'>;

/** Pieces in memory as the content of a file. */
export function contentOf(pieces: readonly Uint8Array[]): FileContent {
  return {
    size: pieces.reduce((size, { length }) => size + length, 0),
    pieces: () => Readable.from(buffersOf(pieces)) as AsyncIterable<Buffer>,
  };
}

function* buffersOf(pieces: readonly Uint8Array[]): Generator<Buffer, void> {
  for (const { buffer, byteOffset, length } of pieces) {
    for (let at = 0; at < length; at += PIECE_BYTES) {
      yield Buffer.from(buffer, byteOffset + at, Math.min(PIECE_BYTES, length - at));
    }
  }
}

/**
 * Opens a file. `-` is standard input. It is copied to a temporary file first, as is everything
 * else that is not a regular file.
 *
 * @throws CommandError
 */
export async function openSource(
  path: string,
  progress: Progress,
  signal: AbortSignal,
): Promise<Source> {
  const { readAt, size, close } =
    path === '-' ? await spooled(process.stdin, signal) : await opened(path, signal);
  const hash = createHash('sha256');
  const magic = Buffer.alloc(2);
  const isGzip = size > 2 && (await readAt(0, magic)) === 2 && magic.readUInt16BE() === 0x1f8b;

  async function* raw(): AsyncGenerator<Buffer> {
    let piece = Buffer.allocUnsafe(PIECE_BYTES);
    for (let at = 0; ;) {
      // An unpacking stream may still hold the last piece, so it gets a new one each time.
      if (isGzip) piece = Buffer.allocUnsafe(PIECE_BYTES);
      const read = await readAt(at, piece);
      if (read === 0) return;
      hash.update(piece.subarray(0, read));
      at += read;
      signal.throwIfAborted();
      progress.bar(at, size, `reading ${path}`);
      yield piece.subarray(0, read);
    }
  }
  return {
    name: path === '-' ? 'standard input' : path,
    size: isGzip ? size * GZIP_RATIO : size,
    pieces: () => (isGzip ? unpacked(raw(), size) : raw()),
    digest: () => hash.digest('hex'),
    close,
  };
}

interface Bytes {
  /** Gives how many bytes were read; 0 is the end. */
  readonly readAt: (at: number, into: Buffer) => Promise<number>;
  readonly size: number;
  readonly close: () => Promise<void>;
}

async function opened(path: string, signal: AbortSignal): Promise<Bytes> {
  const handle = await open(path, 'r').catch((error: unknown) => {
    const { code } = error as NodeJS.ErrnoException;
    throw new CommandError(`${path} cannot be read: ${code ?? 'unknown'}`, 2);
  });
  const stat = await handle.stat();
  if (stat.isDirectory()) {
    await handle.close();
    throw new CommandError(`${path} is a folder`, 2);
  }
  if (!stat.isFile()) return spooled(handle.createReadStream(), signal);
  return {
    readAt: async (at, into) => (await handle.read(into, 0, into.length, at)).bytesRead,
    size: stat.size,
    close: () => handle.close(),
  };
}

async function spooled(stream: Readable, signal: AbortSignal): Promise<Bytes> {
  const file = new TemporaryFile();
  for await (const piece of addAbortSignal(signal, stream) as AsyncIterable<Buffer>)
    file.append(piece);
  return {
    readAt: (at, into) => {
      const length = Math.max(0, Math.min(into.length, file.size - at));
      file.read(at, into.subarray(0, length));
      return Promise.resolve(length);
    },
    size: file.size,
    close: () => {
      file.close();
      return Promise.resolve();
    },
  };
}

/** @param size of the packed bytes */
async function* unpacked(raw: AsyncIterable<Buffer>, size: number): AsyncGenerator<Buffer> {
  const gunzip = createGunzip({ chunkSize: PIECE_BYTES });
  pipeline(raw, gunzip, () => undefined);
  try {
    yield* gunzip as AsyncIterable<Buffer>;
  } catch (error) {
    if (!String((error as NodeJS.ErrnoException).code).startsWith('Z_')) throw error;
    throw new CommandError('the gzip data is broken or incomplete');
  }
  // Node ends at a zero byte behind a member, and would leave out the members behind that.
  if (gunzip.bytesWritten !== size) {
    throw new CommandError('there are bytes after the end of the gzip data');
  }
}
