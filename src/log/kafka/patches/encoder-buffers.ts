import Encoder from 'kafkajs/src/protocol/encoder.js';

/** Above it a buffer is made as large as it has to be: nothing much will follow. */
const LARGE_BYTES = 16 * 1024;
/** What may follow in a large buffer all the same, a record's headers for instance. */
const SLACK_BYTES = 512;

let isMended = false;

/**
 * Mends how kafkajs 2.2.4 makes room for what it sends, once per process: it takes the next power of
 * two, filled with zeros, for each part of a list anew, so that a megabyte of records makes nine of
 * garbage. Buffers lie outside V8's heap, which answers with a full collection for every few of them.
 */
export function mendEncoderBuffers(): void {
  if (isMended) return;
  isMended = true;
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
