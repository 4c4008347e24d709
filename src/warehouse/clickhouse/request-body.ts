import { randomUUID } from 'node:crypto';

import type { NativeBlock } from '../warehouse.js';

/** A block has a part for each column of each upload; each on its own would be a chunk of HTTP. */
const CHUNK_BYTES = 65_536;

/** The parts one after the other, small ones put together. */
export function* requestBody(parts: readonly Uint8Array[]): Generator<Uint8Array, void> {
  let small: Uint8Array[] = [];
  let bytes = 0;
  for (const part of parts) {
    if (bytes + part.length > CHUNK_BYTES && bytes > 0) {
      yield Buffer.concat(small, bytes);
      small = [];
      bytes = 0;
    }
    if (part.length >= CHUNK_BYTES) {
      yield part;
    } else {
      small.push(part);
      bytes += part.length;
    }
  }
  if (bytes > 0) yield Buffer.concat(small, bytes);
}

/** The block as the one file of a form: ClickHouse's interface takes it for a table by this name. */
export function formOf(
  name: string,
  { parts }: NativeBlock,
): { contentType: string; parts: Uint8Array[] } {
  const boundary = `custom-data-${randomUUID()}`;
  const head =
    `--${boundary}\r\nContent-Disposition: form-data; name="${name}"; filename="${name}"\r\n` +
    'Content-Type: application/octet-stream\r\n\r\n';
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    parts: [Buffer.from(head), ...parts, Buffer.from(`\r\n--${boundary}--\r\n`)],
  };
}
