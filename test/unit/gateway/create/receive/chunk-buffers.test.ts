import { describe, expect, test } from '@jest/globals';
import {
  ChunkBuffers,
  TARGET_BYTES,
  Chunker,
} from '../../../../../src/gateway/create/receive/chunker.js';

describe('a buffer that was given back', () => {
  test('is the next one that is taken, whatever part of it was used', () => {
    const buffers = new ChunkBuffers();
    const first = buffers.take(TARGET_BYTES);
    buffers.giveBack(first.subarray(0, 10));
    const second = buffers.take(TARGET_BYTES);
    expect(second.buffer).toBe(first.buffer);
    expect(second).toHaveLength(TARGET_BYTES);
    expect(buffers.take(TARGET_BYTES).buffer).not.toBe(first.buffer);
  });

  test('is not kept when it is smaller, or has its bytes among those of others', () => {
    const buffers = new ChunkBuffers();
    const small = buffers.take(1_000);
    buffers.giveBack(small);
    buffers.giveBack(Buffer.from('x'));
    const next = buffers.take(1_000);
    // Both buffers may lie in Node's pool.
    expect(next.buffer === small.buffer && next.byteOffset === small.byteOffset).toBe(false);
    expect(buffers.take(TARGET_BYTES)).toHaveLength(TARGET_BYTES);
  });

  test('is one of at most so many', () => {
    const buffers = new ChunkBuffers();
    const taken = Array.from({ length: 200 }, () => buffers.take(TARGET_BYTES));
    for (const buffer of taken) buffers.giveBack(buffer);
    const again = Array.from({ length: 200 }, () => buffers.take(TARGET_BYTES).buffer);
    const before = new Set(taken.map(({ buffer }) => buffer));
    expect(again.filter((buffer) => before.has(buffer))).toHaveLength(128);
    expect(new Set(again).size).toBe(200);
  });
});

test('chunks keep their bytes while buffers of others are used again', () => {
  const buffers = new ChunkBuffers();
  const held: { chunk: Buffer<ArrayBuffer>; copy: Buffer }[] = [];
  const chunkers = [new Chunker(buffers), new Chunker(buffers), new Chunker(buffers)];
  for (let i = 0; i < 300; i++) {
    const chunker = chunkers[i % 3]!;
    const piece = Buffer.alloc(70_000, i);
    for (let from = 0; from < piece.length;) {
      from += chunker.fill(piece, from);
      if (!chunker.isFull) continue;
      const chunk = chunker.cut();
      held.push({ chunk, copy: Buffer.from(chunk) });
    }
    if (held.length < 5) continue;
    const [{ chunk, copy }] = held.splice(i % 5, 1) as [(typeof held)[number]];
    expect(chunk.equals(copy)).toBe(true);
    buffers.giveBack(chunk);
  }
  expect(held.every(({ chunk, copy }) => chunk.equals(copy))).toBe(true);
});
