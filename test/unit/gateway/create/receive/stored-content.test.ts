import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { TARGET_BYTES } from '../../../../../src/gateway/create/receive/chunker.js';
import { BOUNDARY, form, post, uploadHeaders } from '../../../../support/gateway/forms.js';
import {
  startGateway,
  storedUpload,
  type Gateway,
  type StoredUpload,
} from '../../../../support/gateway/gateway.js';
import { httpChunk, RawClient } from '../../../../support/gateway/raw-client.js';

const MAX_FILE = 1_048_576;
const PATH = '/custom-data-upload/v1.0/self-serve/requests/';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(async () => {
  await gateway.close();
});

async function stored(content: Uint8Array | string): Promise<StoredUpload> {
  const response = await post(`${gateway.url}/self-serve/requests/`, form({ content }));
  expect(response.status).toBe(201);
  const { requestId } = (await response.json()) as { requestId: string };
  return storedUpload(gateway.log, requestId);
}

const lines = (bytes: number): Buffer => Buffer.alloc(bytes, '2026-01-01,channel,event,1.5,x\n');

test('an empty file is an upload of no chunks', async () => {
  const { chunks, end } = await stored('');
  expect(chunks).toEqual([]);
  expect(end).toMatchObject({ chunks: 0, bytes: 0, firstOffset: null, finding: null });
});

test.each([1, 2, TARGET_BYTES - 1, TARGET_BYTES, TARGET_BYTES + 1, MAX_FILE - 1, MAX_FILE])(
  'a file of %d random bytes is stored as it is',
  async (bytes) => {
    const content = randomBytes(bytes);
    const { chunks, end, content: kept } = await stored(content);
    expect(kept.equals(content)).toBe(true);
    expect(end).toMatchObject({ chunks: chunks.length, bytes });
  },
);

test('content that looks like boundaries is stored as it is', async () => {
  const content = Buffer.from(
    `\r\n--${BOUNDARY.slice(0, -1)}\r\n\r\n--${BOUNDARY.slice(1)}\r\r\n--\r\n-${BOUNDARY}--\r\n`.repeat(
      3_000,
    ),
  );
  expect((await stored(content)).content.equals(content)).toBe(true);
});

test.each(['with a declared length', 'chunked'])(
  'the sizes of the writes to the socket do not matter: %s',
  async (how) => {
    const client = await RawClient.connect(gateway.port);
    for (let round = 0; round < 6; round++) {
      const content = Buffer.concat([lines(50_000 * round), randomBytes(70_000)]);
      const body = form({ content });
      const isChunked = how === 'chunked';
      client.head(`POST ${PATH}`, {
        ...uploadHeaders(),
        ...(isChunked
          ? { 'Transfer-Encoding': 'chunked' }
          : { 'Content-Length': String(body.length) }),
      });
      for (let at = 0; at < body.length;) {
        const size = 1 + Math.floor(Math.random() ** 4 * 100_000);
        const piece = body.subarray(at, at + size);
        await client.send(isChunked ? httpChunk(piece) : piece);
        at += size;
      }
      if (isChunked) await client.send('0\r\n\r\n');
      const answer = await client.answer();
      expect(answer.status).toBe(201);
      const { requestId } = JSON.parse(answer.body) as { requestId: string };
      expect(storedUpload(gateway.log, requestId).content.equals(content)).toBe(true);
    }
    client.destroy();
  },
);

test('a body in chunks of one byte costs little more than its bytes', async () => {
  const body = form({ content: lines(100_000) });
  const wire = Buffer.concat([...body].map((byte) => httpChunk(Uint8Array.of(byte))));
  const client = await RawClient.connect(gateway.port);
  client.head(`POST ${PATH}`, { ...uploadHeaders(), 'Transfer-Encoding': 'chunked' });
  const startedAt = performance.now();
  await client.send(Buffer.concat([wire, Buffer.from('0\r\n\r\n')]), 20_000);
  expect((await client.answer()).status).toBe(201);
  expect(performance.now() - startedAt).toBeLessThan(20_000);
  client.destroy();
});
