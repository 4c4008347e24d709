import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  ChunkBuffers,
  TARGET_BYTES,
  Chunker,
} from '../../../../../src/gateway/create/receive/chunker.js';

const HALF = TARGET_BYTES / 2;

function chunksOf(
  content: Uint8Array,
  sizes: readonly number[],
  chunker = new Chunker(new ChunkBuffers()),
): Buffer[] {
  const chunks: Buffer[] = [];
  let at = 0;
  for (let i = 0; at < content.length; i++) {
    const piece = content.subarray(at, at + (sizes[i % sizes.length] ?? TARGET_BYTES));
    for (let from = 0; from < piece.length;) {
      from += chunker.fill(piece, from);
      if (chunker.isFull) chunks.push(chunker.cut());
    }
    at += piece.length;
  }
  if (!chunker.isEmpty) chunks.push(chunker.rest());
  return chunks;
}

test('chunks put together are what was filled in, whatever the pieces, and of the right size', () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ minLength: 1, maxLength: 2_000 }),
      fc.integer({ min: 1, max: 600 }),
      fc.array(fc.integer({ min: 1, max: 200_000 }), { minLength: 1, maxLength: 20 }),
      (seed, times, sizes) => {
        const content = Buffer.alloc(seed.length * times, seed);
        const chunks = chunksOf(content, sizes);
        expect(Buffer.concat(chunks).equals(content)).toBe(true);
        for (const chunk of chunks.slice(0, -1)) {
          expect(chunk.length).toBeGreaterThanOrEqual(HALF);
          expect(chunk.length).toBeLessThanOrEqual(TARGET_BYTES);
        }
        expect(chunks.at(-1)!.length).toBeLessThanOrEqual(TARGET_BYTES);
      },
    ),
    { numRuns: 60 },
  );
});

test('a chunk ends at the last line break of its second half', () => {
  const content = Buffer.alloc(TARGET_BYTES + 10, 'x');
  content[100] = content[HALF + 5] = content[HALF + 50] = 0x0a;
  expect(chunksOf(content, [1_000]).map((chunk) => chunk.length)).toEqual([
    HALF + 51,
    HALF - 51 + 10,
  ]);
});

test.each([
  ['exactly where the second half begins', HALF - 1, HALF],
  ['one byte before', HALF - 2, TARGET_BYTES],
  ['at the very end', TARGET_BYTES - 1, TARGET_BYTES],
])('a line break %s', (_where, at, length) => {
  const content = Buffer.alloc(TARGET_BYTES + 1, 'x');
  content[at] = 0x0a;
  expect(chunksOf(content, [TARGET_BYTES])[0]!.length).toBe(length);
});

test('one byte at a time holds no more than the chunk', () => {
  const chunks = chunksOf(Buffer.alloc(300, 'y'), [1]);
  expect(chunks.map((chunk) => chunk.length)).toEqual([300]);
  expect(chunks[0]!.buffer.byteLength).toBeLessThanOrEqual(TARGET_BYTES);
});
