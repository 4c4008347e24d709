import Encoder from 'kafkajs/src/protocol/encoder.js';

/** Above it a buffer gets exactly the size that it needs: little will follow. */
const LARGE_BYTES = 16 * 1024;
/** What may follow in a large buffer all the same, such as a record's headers. */
const SLACK_BYTES = 512;

/**
 * Fixes in this process how kafkajs 2.2.4 allocates what it sends: for each part of a list it
 * takes the next power of two, filled with zeros, so that a megabyte of records makes nine of
 * garbage. Buffers lie outside V8's heap, and V8 answers with a full collection for every few of
 * them.
 */
export function mendEncoderBuffers(): void {
  const { writeEncoderArray } = Encoder.prototype;
  Encoder.prototype.ensureAvailable = function (this: Encoder, bytes: number): void {
    const needed = this.offset + bytes;
    if (needed <= this.buf.length) return;
    const grown = Buffer.allocUnsafe(
      needed < LARGE_BYTES ? Encoder.nextPowerOfTwo(needed) : needed + SLACK_BYTES,
    );
    this.buf.copy(grown, 0, 0, this.offset);
    this.buf = grown;
  };
  Encoder.prototype.writeEncoderArray = function (
    this: Encoder,
    parts: readonly Encoder[],
  ): Encoder {
    this.ensureAvailable(parts.reduce((sum, part) => sum + part.offset, 0));
    return writeEncoderArray.call(this, parts);
  };
}
