import { compress, uncompress } from 'lz4-napi';

import { EngineException } from '../exception.js';
import { cityHash128 } from './city-hash.js';

/**
 * ClickHouse's compressed blocks: what `compress=1` and `decompress=1` mean, and what JDBC and other
 * clients send and expect by default.
 *
 * A block is the checksum of the rest (16 bytes), the method (one byte), the size of the block
 * without the checksum, the size of its content (four bytes each, little-endian), and the content.
 */

const CHECKSUM_BYTES = 16;
/** The method and both sizes. */
const HEADER_BYTES = 9;
const PREFIX_BYTES = CHECKSUM_BYTES + HEADER_BYTES;
const LZ4 = 0x82;
const NONE = 0x02;
/** As the engine's own blocks. */
const CONTENT_BYTES = 1_048_576;
/** What the library writes before a block: the size of its content. */
const LIBRARY_BYTES = 4;

/** Compresses content as one or more blocks. */
export async function compressBlocks(content: Buffer): Promise<Buffer> {
  const blocks: Buffer[] = [];
  for (let from = 0; from < content.length; from += CONTENT_BYTES) {
    blocks.push(await compressBlock(content.subarray(from, from + CONTENT_BYTES)));
  }
  return Buffer.concat(blocks);
}

async function compressBlock(content: Buffer): Promise<Buffer> {
  const packed = (await compress(content)).subarray(LIBRARY_BYTES);
  const block = Buffer.allocUnsafe(PREFIX_BYTES + packed.length);
  block[CHECKSUM_BYTES] = LZ4;
  block.writeUInt32LE(HEADER_BYTES + packed.length, CHECKSUM_BYTES + 1);
  block.writeUInt32LE(content.length, CHECKSUM_BYTES + 5);
  packed.copy(block, PREFIX_BYTES);
  cityHash128(block.subarray(CHECKSUM_BYTES)).copy(block);
  return block;
}

/**
 * Unpacks blocks. Before a block is unpacked, the size that it declares is checked.
 *
 * @param limit of all content, in bytes
 * @param tooLarge what to throw above it
 * @throws EngineException when the bytes are not whole blocks
 */
export async function unpackBlocks(
  bytes: Buffer,
  limit: number,
  tooLarge: () => EngineException,
): Promise<Buffer> {
  const contents: Buffer[] = [];
  let left = limit;
  for (let at = 0; at < bytes.length;) {
    const { end, size } = readPrefix(bytes, at);
    if (size === 0) throw broken('a block is empty');
    left -= size;
    if (left < 0) throw tooLarge();
    contents.push(await unpackBlock(bytes.subarray(at, end), size));
    at = end;
  }
  return Buffer.concat(contents);
}

/** Where the block ends, and the size that its content has by its own account. */
function readPrefix(bytes: Buffer, at: number): { end: number; size: number } {
  if (bytes.length - at < PREFIX_BYTES) throw broken('a block ends within its header');
  const end = at + CHECKSUM_BYTES + bytes.readUInt32LE(at + CHECKSUM_BYTES + 1);
  if (end < at + PREFIX_BYTES || end > bytes.length) throw broken('a block is cut off');
  return { end, size: bytes.readUInt32LE(at + CHECKSUM_BYTES + 5) };
}

async function unpackBlock(block: Buffer, size: number): Promise<Buffer> {
  const summed = block.subarray(CHECKSUM_BYTES);
  if (!cityHash128(summed).equals(block.subarray(0, CHECKSUM_BYTES))) {
    throw EngineException.of('CHECKSUM_DOESNT_MATCH', 'The checksum of a block does not match.');
  }
  const packed = block.subarray(PREFIX_BYTES);
  const content = await contentOf(packed, summed[0]!, size);
  if (content.length !== size) throw broken('a block has another size than it says');
  return content;
}

async function contentOf(packed: Buffer, method: number, size: number): Promise<Buffer> {
  if (method === NONE) return packed;
  if (method !== LZ4) {
    throw EngineException.of(
      'UNKNOWN_COMPRESSION_METHOD',
      `Compression method 0x${method.toString(16)} is not known here; use LZ4.`,
    );
  }
  const prefixed = Buffer.allocUnsafe(LIBRARY_BYTES + packed.length);
  prefixed.writeUInt32LE(size, 0);
  packed.copy(prefixed, LIBRARY_BYTES);
  try {
    return await uncompress(prefixed);
  } catch {
    throw broken('a block is no LZ4 data');
  }
}

function broken(what: string): EngineException {
  return EngineException.of('CANNOT_DECOMPRESS', `Cannot unpack the query: ${what}.`);
}
