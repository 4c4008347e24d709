import { expect, test } from '@jest/globals';

import { withProtocolVersion } from '../../../src/query/native-revision.js';

const MIB = 1024 * 1024;
const BLOCK_INFO = Buffer.from([1, 0, 2, 0xff, 0xff, 0xff, 0xff, 0]);

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 0x80; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 0x80);
  return Buffer.from([...bytes, rest]);
}

const text = (content: string): Buffer =>
  Buffer.concat([varint(Buffer.byteLength(content)), Buffer.from(content)]);

const uint64 = (value: number): Buffer => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
};

interface Column {
  readonly type: string;
  readonly values: Buffer;
}

/**
 * Returns a block as the engine writes it (without `mark`) or as a client of a protocol version
 * expects it.
 */
function block(rows: number, columns: readonly Column[], mark?: Buffer): Buffer {
  const parts = columns.flatMap(({ type, values }, index) => [
    text(`column ${index}`),
    text(type),
    mark ?? Buffer.alloc(0),
    values,
  ]);
  const head = mark === undefined ? [] : [BLOCK_INFO];
  return Buffer.concat([...head, varint(columns.length), varint(rows), ...parts]);
}

async function* inChunks(bytes: Buffer, size: number): AsyncGenerator<Buffer, void> {
  for (let start = 0; start < bytes.length; start += size) {
    yield await Promise.resolve(bytes.subarray(start, start + size));
  }
}

async function all(body: AsyncIterable<Buffer>): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of body) parts.push(part);
  return Buffer.concat(parts);
}

const COLUMNS: readonly Column[] = [
  { type: 'UInt8', values: Buffer.from([1, 2, 3]) },
  { type: 'String', values: Buffer.concat([text('é'.repeat(300)), text(''), text('abc')]) },
  {
    type: 'Array(Nullable(UInt16))',
    values: Buffer.concat([uint64(1), uint64(1), uint64(2), Buffer.from([0, 1, 1, 2, 3, 4])]),
  },
  {
    type: 'LowCardinality(String)',
    values: Buffer.concat([
      uint64(1),
      uint64(0x600),
      uint64(1),
      text('k'),
      uint64(3),
      Buffer.alloc(3),
    ]),
  },
  { type: "Tuple(a Enum8('x' = 1), b String)", values: Buffer.from([1, 1, 1, 1, 0x61, 0, 0]) },
];

test.each([1, 2, 3, 7, 8, 64, 10_000])('chunks of %i bytes are one result', async (size) => {
  const wide = block(3, COLUMNS);
  const bytes = Buffer.concat([
    wide,
    block(
      0,
      COLUMNS.map((each) => ({ ...each, values: Buffer.alloc(0) })),
    ),
    wide,
  ]);
  const marked = block(3, COLUMNS, Buffer.from([0]));
  const none = block(
    0,
    COLUMNS.map((each) => ({ ...each, values: Buffer.alloc(0) })),
    Buffer.from([0]),
  );
  const read = await all(withProtocolVersion(inChunks(bytes, size), 54_460));
  expect(read.equals(Buffer.concat([marked, none, marked]))).toBe(true);
  const old = await all(withProtocolVersion(inChunks(wide, size), 54_405));
  expect(old.equals(Buffer.concat([BLOCK_INFO, wide]))).toBe(true);
});

test('a result that ends inside a block is an error, after which nothing of the block was handed over', async () => {
  const whole = block(3, COLUMNS);
  for (const length of [1, 5, whole.length - 1]) {
    const body = withProtocolVersion(
      inChunks(Buffer.concat([whole, whole.subarray(0, length)]), 9),
      54_460,
    );
    const parts: Buffer[] = [];
    await expect(
      (async () => {
        for await (const part of body) parts.push(part);
      })(),
    ).rejects.toThrow('inside a block');
    expect(Buffer.concat(parts).equals(block(3, COLUMNS, Buffer.from([0])))).toBe(true);
  }
});

test('a block of any size passes in little memory', async () => {
  const rows = 512;
  const value = Buffer.concat([varint(MIB), Buffer.alloc(MIB, 'x')]);
  let given = 0;
  let taken = 0;
  let furthest = 0;
  async function* source(): AsyncGenerator<Buffer, void> {
    const parts = [varint(1), varint(rows), text('a'), text('String')];
    for (const part of [...parts, ...Array<Buffer>(rows).fill(value)]) {
      for await (const chunk of inChunks(part, MIB / 16)) {
        given += chunk.length;
        furthest = Math.max(furthest, given - taken);
        yield chunk;
      }
    }
  }
  for await (const part of withProtocolVersion(source(), 54_460)) taken += part.length;
  expect(taken).toBe(given + BLOCK_INFO.length + 1);
  expect(given).toBeGreaterThan(rows * MIB);
  expect(furthest).toBeLessThan(8 * MIB);
});

test('a type with a name of over 64 KiB is refused before the name is read', async () => {
  const names = (length: number): Buffer =>
    Buffer.concat([varint(1), varint(0), text('a'), varint(length)]);
  await expect(all(withProtocolVersion(inChunks(names(65_537), 64), 54_460))).rejects.toMatchObject(
    {
      type: 'NOT_IMPLEMENTED',
    },
  );
  const members = Array.from({ length: 3_000 }, (_, index) => `'m${index}' = ${index}`);
  const type = `Enum16(${members.join(', ')})`;
  const whole = block(1, [{ type, values: Buffer.alloc(2) }]);
  for (let time = 0; time < 2; time++) {
    expect(await all(withProtocolVersion(inChunks(whole, 64), 54_405))).toEqual(
      Buffer.concat([BLOCK_INFO, whole]),
    );
  }
});
