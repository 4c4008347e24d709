import { createGunzip } from 'node:zlib';

import { codeOf } from '../../../domain/failure.js';

/** Passes a file's bytes on to `sink`, unpacked when they begin with gzip's magic bytes. */
export class Unpacker {
  private firstByte: Buffer | undefined;
  private isPlain = false;
  private gzip: GzipUnpacker | undefined;

  /**
   * @param maxBytes of an unpacked gzip file; a plain file is bounded by the size of the body
   * @param sink may use the bytes until it resolves: then they are freed
   */
  constructor(
    private readonly maxBytes: number,
    private readonly sink: (bytes: Buffer) => Promise<void>,
  ) {}

  /** What is wrong with the file as a whole, as a sentence for the client. */
  get finding(): string | null {
    return this.gzip?.finding ?? null;
  }

  write(piece: Buffer): Promise<void> {
    if (this.isPlain) return this.sink(piece);
    return this.gzip === undefined ? this.decide(piece) : this.gzip.write(piece);
  }

  async end(): Promise<void> {
    if (this.gzip !== undefined) await this.gzip.end();
    else if (this.firstByte !== undefined && !this.isPlain) await this.sink(this.firstByte);
  }

  /** Releases the memory of an unpacking that will not be finished. */
  destroy(): void {
    this.gzip?.destroy();
  }

  private async decide(piece: Buffer): Promise<void> {
    const head = this.firstByte === undefined ? piece : Buffer.concat([this.firstByte, piece]);
    if (head.length < 2) {
      this.firstByte = head.length === 0 ? undefined : Buffer.from(head);
      return;
    }
    if (head[0] === 0x1f && head[1] === 0x8b) {
      this.gzip = new GzipUnpacker(this.maxBytes, this.sink);
      await this.gzip.write(head);
    } else {
      this.isPlain = true;
      await this.sink(head);
    }
  }
}

/** How much is unpacked at a time; an upload holds this much besides its chunks. */
const OUTPUT_BYTES = 32 * 1024;

const BROKEN = 'the gzip data is broken, or other data follows it';
const TRUNCATED = 'the gzip data ends before it is complete';
const TRAILING = 'there are bytes after the end of the gzip data';

/**
 * Unpacks gzip (one member or several) as it comes, in bounded memory: `sink` holds back the
 * unpacking, and the unpacking holds back `write`.
 *
 * Bad data is a finding, not an error. After it the rest of the data is ignored.
 */
export class GzipUnpacker {
  finding: string | null = null;

  private readonly gunzip = createGunzip({ chunkSize: OUTPUT_BYTES });
  private readonly passedOn: Promise<void>;
  private packedBytes = 0;
  private wake: () => void = ignore;

  constructor(
    private readonly maxBytes: number,
    private readonly sink: (bytes: Buffer) => Promise<void>,
  ) {
    this.passedOn = this.passOn();
    // `end` meets its failure again; until then nobody may be waiting for it.
    this.passedOn.catch(ignore);
    this.gunzip.once('close', () => {
      this.wake();
    });
  }

  async write(piece: Buffer): Promise<void> {
    if (this.finding !== null) return;
    if (this.gunzip.destroyed) {
      await this.passedOn;
      return;
    }
    this.packedBytes += piece.length;
    await new Promise<void>((resolve) => {
      // A stream destroyed in the middle of a write never calls back.
      this.wake = resolve;
      this.gunzip.write(piece, () => {
        resolve();
      });
    });
    this.lookForTrailingBytes();
  }

  async end(): Promise<void> {
    if (this.finding === null) this.gunzip.end();
    await this.passedOn;
    this.lookForTrailingBytes();
  }

  destroy(): void {
    this.gunzip.destroy();
  }

  private async passOn(): Promise<void> {
    let bytes = 0;
    try {
      for await (const piece of this.gunzip as AsyncIterable<Buffer>) {
        bytes += piece.length;
        if (bytes > this.maxBytes) {
          this.finding ??= `the file is larger than ${this.maxBytes} bytes when unpacked`;
          return;
        }
        await this.sink(piece);
        free(piece);
      }
    } catch (error) {
      const code = codeOf(error);
      if (code?.startsWith('Z_') !== true) throw error;
      this.finding ??= code === 'Z_BUF_ERROR' ? TRUNCATED : BROKEN;
    }
  }

  /** zlib takes zero bytes after the last member for padding and stops there, silently. */
  private lookForTrailingBytes(): void {
    if (this.gunzip.errored === null && this.gunzip.bytesWritten < this.packedBytes) {
      this.finding ??= TRAILING;
    }
  }
}

/**
 * Frees a buffer that zlib has filled and left. If V8 frees these buffers, it collects its whole heap
 * more often. Node 20 has no `transfer`.
 */
function free({ buffer, byteOffset, length }: Buffer): void {
  const isFilled = buffer.byteLength === OUTPUT_BYTES && byteOffset + length === OUTPUT_BYTES;
  if (isFilled) (buffer as { transfer?: (bytes: number) => void }).transfer?.(0);
}

function ignore(): void {
  // nothing to do
}
