/** Bytes in a full chunk record. */
export const TARGET_BYTES = 128 * 1024;
/** 16 MiB: the chunks of 64 uploads at once. */
const MAX_FREE = 128;

/**
 * Buffers of full chunks, used again. A chunk lives until the log has it, longer than V8 keeps what
 * is young: a new buffer for each made it collect its whole heap for every 40 MB of files.
 */
export class ChunkBuffers {
  private readonly free: Buffer<ArrayBuffer>[] = [];

  /** @param bytes at most `TARGET_BYTES`; what is in the buffer means nothing */
  take(bytes: number): Buffer<ArrayBuffer> {
    if (bytes < TARGET_BYTES) return Buffer.allocUnsafe(bytes);
    return this.free.pop() ?? Buffer.allocUnsafe(TARGET_BYTES);
  }

  /** @param chunk the beginning of a buffer; nobody may use it, or what is behind it, any more */
  giveBack(chunk: Buffer<ArrayBuffer>): void {
    if (chunk.buffer.byteLength !== TARGET_BYTES || this.free.length === MAX_FREE) return;
    this.free.push(Buffer.from(chunk.buffer));
  }
}
