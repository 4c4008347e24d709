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
