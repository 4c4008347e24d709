import { GzipUnpacker } from './gzip.js';

/** Passes a file's bytes on to `sink`, unpacked when they begin with gzip's magic bytes. */
export class Unpacker {
  private firstByte: Buffer | undefined;
  private isPlain = false;
  private gzip: GzipUnpacker | undefined;

  /** @param maxBytes of an unpacked gzip file; a plain one is bounded by what may be sent */
  constructor(
    private readonly maxBytes: number,
    private readonly sink: (bytes: Buffer) => Promise<void>,
  ) {}

  /** What is wrong with the file as a whole, in a sentence for the client. */
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

  /** Releases the memory of an unpacking that is not to be finished. */
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
