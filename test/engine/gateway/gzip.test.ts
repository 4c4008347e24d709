import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { form, post, problemOf } from '../../support/gateway/forms.js';
import {
  startGateway,
  storedUpload,
  type Gateway,
  type StoredUpload,
} from '../../support/gateway/gateway.js';
import { GzipUnpacker, Unpacker } from '../../../src/gateway/create/receive/unpacker.js';

const MIB = 1024 * 1024;
const SELF_SERVE_LIMIT = 4 * MIB;

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({ unpackedBytes: SELF_SERVE_LIMIT });
});
afterAll(async () => {
  await gateway.close();
});

async function upload(family: string, content: Uint8Array): Promise<StoredUpload> {
  const response = await post(`${gateway.url}/${family}/requests/`, form({ content }));
  expect(response.status).toBe(201);
  const { requestId } = (await response.json()) as { requestId: string };
  return storedUpload(gateway.log, requestId);
}

const csv = (bytes: number): Buffer => Buffer.alloc(bytes, '2026-01-01,channel,event,1.5,x\n');

describe.each([
  ['cost', MIB],
  ['self-serve', SELF_SERVE_LIMIT],
])('%s', (family, limit) => {
  test.each([0, 1, 100_000, limit])('%d unpacked bytes are stored unpacked', async (bytes) => {
    const stored = await upload(family, gzipSync(csv(bytes)));
    expect(stored.end).toMatchObject({ finding: null, bytes, chunks: stored.chunks.length });
    expect(stored.content.equals(csv(bytes))).toBe(true);
  });

  test('one unpacked byte too many is a finding', async () => {
    const { end, content } = await upload(family, gzipSync(csv(limit + 1)));
    expect(end!.finding).toBe(`the file is larger than ${limit} bytes when unpacked`);
    expect(end!.bytes).toBe(content.length);
    expect(content.length).toBeLessThanOrEqual(limit);
  });

  test('several members are one file', async () => {
    const members = [csv(1_000), Buffer.from(''), csv(200_000), Buffer.from('z\n')];
    const { end, content } = await upload(family, Buffer.concat(members.map((m) => gzipSync(m))));
    expect(end!.finding).toBeNull();
    expect(content.equals(Buffer.concat(members))).toBe(true);
  });

  test('gzip in gzip is unpacked once', async () => {
    const inner = gzipSync('a,b\n');
    expect((await upload(family, gzipSync(inner))).content.equals(inner)).toBe(true);
  });
});

const packed = gzipSync(csv(300_000));
const flipped = Buffer.from(packed);
flipped[flipped.length - 6]! ^= 0xff; // in the checksum
const scrambled = Buffer.concat([packed.subarray(0, 40), randomBytes(packed.length)]);
const GARBAGE = 'the gzip data is broken, or other data follows it';
const TRUNCATED = 'the gzip data ends before it is complete';
const TRAILING = 'there are bytes after the end of the gzip data';

test.each<[string, Buffer, string]>([
  ['only the magic bytes', packed.subarray(0, 2), TRUNCATED],
  ['half a header', packed.subarray(0, 7), TRUNCATED],
  ['half the data', packed.subarray(0, packed.length / 2), TRUNCATED],
  ['one byte short', packed.subarray(0, -1), TRUNCATED],
  ['half a second member', Buffer.concat([packed, packed.subarray(0, 30)]), TRUNCATED],
  ['a wrong checksum', flipped, GARBAGE],
  ['random data', scrambled, GARBAGE],
  ['another method', Buffer.concat([Buffer.from([0x1f, 0x8b, 7]), packed.subarray(3)]), GARBAGE],
  ['text behind', Buffer.concat([packed, Buffer.from('a,b\n')]), GARBAGE],
  ['a zero byte behind', Buffer.concat([packed, Buffer.alloc(1)]), TRAILING],
  ['many zero bytes behind', Buffer.concat([packed, Buffer.alloc(200_000)]), TRAILING],
  ['zero bytes, then a member', Buffer.concat([packed, Buffer.alloc(9), packed]), TRAILING],
])('%s is accepted with a finding', async (_what, content, finding) => {
  const { end, aborts } = await upload('self-serve', content);
  expect(end!.finding).toBe(finding);
  expect(aborts).toBe(0);
  expect(gateway.lines.at(-1)).toMatchObject({ outcome: 'accepted with a finding' });
});

test.each([
  ['one byte like gzip', Buffer.from([0x1f])],
  ['a first byte like gzip', Buffer.from([0x1f, 0x20, 0x8b])],
])('%s is no gzip', async (_what, content) => {
  const stored = await upload('cost', content);
  expect(stored.end!.finding).toBeNull();
  expect(stored.content.equals(content)).toBe(true);
});

test('a file over 1 MiB on the wire is 413 although its gzip was found broken before', async () => {
  const content = Buffer.concat([scrambled, Buffer.alloc(1.01 * MIB)]);
  const response = await post(`${gateway.url}/self-serve/requests/`, form({ content }));
  expect((await problemOf(response)).status).toBe(413);
});

test('a bomb is unpacked up to the limit only', async () => {
  const bomb = gzipSync(Buffer.alloc(600 * MIB), { level: 9 });
  expect(bomb.length).toBeLessThan(MIB);
  const startedAt = performance.now();
  const { end } = await upload('self-serve', bomb);
  expect(end!.finding).toContain('larger than');
  expect(performance.now() - startedAt).toBeLessThan(10_000);
});

test('many tiny members take time in proportion to their bytes', async () => {
  const member = gzipSync('');
  const content = Buffer.concat(
    Array.from({ length: Math.floor(MIB / member.length) }, () => member),
  );
  const startedAt = performance.now();
  const { end } = await upload('self-serve', content);
  expect(end).toMatchObject({ finding: null, bytes: 0 });
  expect(performance.now() - startedAt).toBeLessThan(15_000);
});

describe('unpacking piece by piece', () => {
  async function unpack(content: Uint8Array, size: number): Promise<[Buffer, string | null]> {
    const out: Buffer[] = [];
    const unpacker = new Unpacker(SELF_SERVE_LIMIT, (bytes) => {
      out.push(Buffer.from(bytes));
      return Promise.resolve();
    });
    for (let at = 0; at < content.length; at += size) {
      await unpacker.write(Buffer.from(content.subarray(at, at + size)));
    }
    await unpacker.end();
    return [Buffer.concat(out), unpacker.finding];
  }

  test.each([1, 2, 3, 17, 1_000, 100_000])('in pieces of %d bytes', async (size) => {
    const two = Buffer.concat([packed, gzipSync('end\n')]);
    const [content, finding] = await unpack(two, size);
    expect(finding).toBeNull();
    expect(content.equals(Buffer.concat([csv(300_000), Buffer.from('end\n')]))).toBe(true);
    expect((await unpack(Buffer.concat([packed, Buffer.alloc(3)]), size))[1]).toBe(TRAILING);
    expect((await unpack(Buffer.concat([packed, Buffer.from('xyz')]), size))[1]).toBe(GARBAGE);
    expect((await unpack(packed.subarray(0, -2), size))[1]).toBe(TRUNCATED);
  });

  test('a slow sink holds back the writer', async () => {
    let passed = 0;
    let go: () => void = () => undefined;
    const gunzip = new GzipUnpacker(64 * MIB, async (bytes) => {
      passed += bytes.length;
      await new Promise<void>((resolve) => (go = resolve));
    });
    let isWritten = false;
    void gunzip.write(gzipSync(Buffer.alloc(8 * MIB))).then(() => {
      isWritten = true;
    });
    for (let i = 0; i < 20; i++) {
      await new Promise((resolve) => setTimeout(resolve, 5));
      go();
    }
    expect(isWritten).toBe(false);
    expect(passed).toBeLessThan(2 * MIB);
    gunzip.destroy();
  });

  test('an error of the sink comes out of write or end, and is no finding', async () => {
    const gunzip = new GzipUnpacker(64 * MIB, () => Promise.reject(new Error('the log is away')));
    const all = async (): Promise<void> => {
      for (let i = 0; i < 3; i++) await gunzip.write(packed);
      await gunzip.end();
    };
    await expect(all()).rejects.toThrow('the log is away');
    expect(gunzip.finding).toBeNull();
  });
});
