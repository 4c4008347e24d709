import { Pool } from '../../../domain/memory.js';

/** Bytes in a full chunk record. */
export const TARGET_BYTES = 128 * 1024;
const MIN_CUT_BYTES = TARGET_BYTES / 2;
const USUAL_FIRST_CAPACITY = 16 * 1024;
const LINE_FEED = 0x0a;

/**
 * Cuts a stream of bytes into chunks of 64 to 128 KiB; the last may be smaller.
 *
 * A chunk ends at a line break if its second half has one, so that people can read the topic, and
 * anywhere otherwise. The bytes are copied: if pieces were kept as they come, a client that sends
 * single bytes would make each of them cost an object of hundreds.
 */
export class Chunker {
  private buffer: Buffer<ArrayBuffer> = Buffer.alloc(0);
  private length = 0;

  /** @param expectedBytes the content's approximate size, to begin with a buffer of that size */
  constructor(
    private readonly buffers: ChunkBuffers,
    private readonly expectedBytes = USUAL_FIRST_CAPACITY,
  ) {}

  get isFull(): boolean {
    return this.length === TARGET_BYTES;
  }

  get isEmpty(): boolean {
    return this.length === 0;
  }

  /** Takes bytes of `piece` from `from` on, as many as the chunk has room for; returns how many. */
  fill(piece: Uint8Array, from: number): number {
    const taken = Math.min(piece.length - from, TARGET_BYTES - this.length);
    this.reserve(this.length + taken);
    this.buffer.set(piece.subarray(from, from + taken), this.length);
    this.length += taken;
    return taken;
  }

  /** Cuts a chunk off a full buffer and keeps what follows the cut. */
  cut(): Buffer<ArrayBuffer> {
    const lineBreak = this.buffer.lastIndexOf(LINE_FEED, this.length - 1);
    const end = lineBreak + 1 >= MIN_CUT_BYTES ? lineBreak + 1 : this.length;
    const chunk = this.buffer.subarray(0, end);
    const rest = this.buffer.subarray(end, this.length);
    this.buffer = this.buffers.take(TARGET_BYTES);
    this.buffer.set(rest);
    this.length = rest.length;
    return chunk;
  }

  /** Everything that is left. */
  rest(): Buffer<ArrayBuffer> {
    const chunk = this.buffer.subarray(0, this.length);
    this.buffer = Buffer.alloc(0);
    this.length = 0;
    return chunk;
  }

  private reserve(bytes: number): void {
    if (bytes <= this.buffer.length) return;
    const wanted = this.buffer.length === 0 ? this.expectedBytes : this.buffer.length * 2;
    const grown = this.buffers.take(Math.min(Math.max(wanted, bytes), TARGET_BYTES));
    grown.set(this.buffer.subarray(0, this.length));
    this.buffer = grown;
  }
}

/** 16 MiB: the chunks of 64 uploads at once. */
const MAX_FREE = 128;

/** Buffers of full chunks, used again: a chunk lives until the log has it. */
export class ChunkBuffers {
  // A new buffer for each made V8 collect its whole heap for every 40 MB of files.
  private readonly full = new Pool(() => Buffer.allocUnsafeSlow(TARGET_BYTES), MAX_FREE);

  /** @param bytes at most `TARGET_BYTES`; the buffer's content is undefined */
  take(bytes: number): Buffer<ArrayBuffer> {
    return bytes < TARGET_BYTES ? Buffer.allocUnsafe(bytes) : this.full.take();
  }

  /** @param chunk the beginning of a buffer; nobody may use the buffer any more */
  giveBack(chunk: Buffer<ArrayBuffer>): void {
    if (chunk.buffer.byteLength === TARGET_BYTES) this.full.giveBack(Buffer.from(chunk.buffer));
  }
}
