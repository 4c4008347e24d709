import { randomBytes } from 'node:crypto';

import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';

import { compressBlocks, unpackBlocks } from '../../../../src/query/compressed/blocks.js';
import { cityHash128 } from '../../../../src/query/compressed/city-hash.js';
import { EngineException } from '../../../../src/query/exception.js';
import { runs } from '../../../support/model/property.js';

const LIMIT = 1_000_000;
const tooLarge = (): EngineException => EngineException.of('QUERY_IS_TOO_LARGE', 'too large');
const unpack = (bytes: Buffer, limit = LIMIT): Promise<Buffer> =>
  unpackBlocks(bytes, limit, tooLarge);

/** A block with the right checksum, whatever else is wrong with it. */
function block(method: number, packed: Buffer, size: number, declared = 9 + packed.length): Buffer {
  const header = Buffer.alloc(9);
  header[0] = method;
  header.writeUInt32LE(declared, 1);
  header.writeUInt32LE(size, 5);
  const summed = Buffer.concat([header, packed]);
  return Buffer.concat([cityHash128(summed), summed]);
}

describe('blocks', () => {
  test('give back what they were made of', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 3_000 }), fc.nat(50), async (bytes, times) => {
        const content = Buffer.concat(Array<Uint8Array>(times).fill(bytes));
        expect((await unpack(await compressBlocks(content))).equals(content)).toBe(true);
      }),
      runs(200),
    );
  });

  test('are smaller than text', async () => {
    const text = Buffer.from('2026-03-01,newsletter,EUR,Spring sale\n'.repeat(5_000));
    expect((await compressBlocks(text)).length).toBeLessThan(text.length / 20);
  });

  test('hold at most a mebibyte each', async () => {
    const content = randomBytes(2_500_000);
    const packed = await compressBlocks(content);
    const sizes: number[] = [];
    for (let at = 0; at < packed.length; at += 16 + packed.readUInt32LE(at + 17)) {
      sizes.push(packed.readUInt32LE(at + 21));
    }
    expect(sizes).toEqual([1_048_576, 1_048_576, 402_848]);
    expect((await unpack(packed, 3_000_000)).equals(content)).toBe(true);
  });

  test('of nothing are none', async () => {
    expect(await compressBlocks(Buffer.alloc(0))).toHaveLength(0);
    expect(await unpack(Buffer.alloc(0))).toHaveLength(0);
  });
});

describe('of what is no block', () => {
  test.each([1, 16, 24])('%d bytes are too few', async (length) => {
    await expect(unpack(Buffer.alloc(length))).rejects.toThrow(/CANNOT_DECOMPRESS/);
  });

  test('one that is cut off is refused', async () => {
    const whole = await compressBlocks(Buffer.from('SELECT 1'));
    await expect(unpack(whole.subarray(0, -1))).rejects.toThrow(/cut off.*CANNOT_DECOMPRESS/);
  });

  test('every changed bit is found', async () => {
    const whole = await compressBlocks(Buffer.from('SELECT 1'));
    for (let bit = 0; bit < whole.length * 8; bit++) {
      const changed = Buffer.from(whole);
      changed[bit >> 3]! ^= 1 << (bit & 7);
      await expect(unpack(changed)).rejects.toThrow(EngineException);
    }
  });

  test('a size below that of the header is refused', async () => {
    await expect(unpack(block(0x02, Buffer.from('x'), 1, 8))).rejects.toThrow(/cut off/);
  });

  test('a declared size is checked before anything is unpacked', async () => {
    const huge = block(0x82, Buffer.from([0x10, 0x78]), 0xffff_ffff);
    await expect(unpack(huge)).rejects.toThrow(/QUERY_IS_TOO_LARGE/);
  });

  test('the sizes of all blocks count together', async () => {
    const half = await compressBlocks(Buffer.alloc(LIMIT / 2));
    await expect(unpack(Buffer.concat([half, half]))).resolves.toHaveLength(LIMIT);
    const one = await compressBlocks(Buffer.from('x'));
    await expect(unpack(Buffer.concat([half, half, one]))).rejects.toThrow(/QUERY_IS_TOO_LARGE/);
  });

  test('content that is larger or smaller than declared is refused', async () => {
    const packed = (await compressBlocks(Buffer.alloc(1_000))).subarray(25);
    for (const size of [0, 1, 999, 1_001]) {
      await expect(unpack(block(0x82, Buffer.from(packed), size))).rejects.toThrow(
        /CANNOT_DECOMPRESS/,
      );
    }
  });

  test('another method is refused by its number', async () => {
    await expect(unpack(block(0x90, Buffer.from('x'), 1))).rejects.toThrow(
      /0x90.*UNKNOWN_COMPRESSION_METHOD/,
    );
  });

  test('damaged LZ4 data is refused', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 100 }), fc.nat(2_000), async (bytes, size) => {
        const damaged = block(0x82, Buffer.from(bytes), size);
        // Some of it is valid by chance.
        await unpack(damaged).catch((error: unknown) => {
          expect(String(error)).toMatch(/CANNOT_DECOMPRESS/);
        });
      }),
      runs(300),
    );
  });

  test('a block that is not compressed is taken', async () => {
    expect(String(await unpack(block(0x02, Buffer.from('SELECT 1'), 8)))).toBe('SELECT 1');
  });
});
