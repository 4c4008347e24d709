import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

import { compressBlocks, unpackBlocks } from '../../../src/query/compressed/blocks.js';
import { EngineException } from '../../../src/query/exception.js';
import { ask, openQueryServer, type TestQueryServer } from './query-server-fixture.js';

const tooLarge = (): EngineException => EngineException.of('QUERY_IS_TOO_LARGE', 'too large');
const unpack = (bytes: Buffer): Promise<Buffer> => unpackBlocks(bytes, 100_000_000, tooLarge);

let server: TestQueryServer;
beforeAll(async () => {
  server = await openQueryServer();
});
afterAll(async () => {
  await server.close();
});

/** Sends a query in blocks, as JDBC does, and returns the unpacked answer. */
async function askInBlocks(query: string, more: Record<string, string> = {}) {
  const parameters = new URLSearchParams({ compress: '1', decompress: '1', ...more });
  const body = new Uint8Array(await compressBlocks(Buffer.from(query)));
  const answer = await fetch(`${server.url}/?${parameters.toString()}`, { method: 'POST', body });
  return { status: answer.status, bytes: Buffer.from(await answer.arrayBuffer()) };
}

test('blocks that the engine wrote are unpacked, and their checksums match', async () => {
  const { writer } = server;
  writer.query('CREATE TABLE custom_data.blocks (text String) ENGINE = TinyLog');
  // Each insert writes one block. The lengths reach every branch that a block can reach.
  const texts = Array.from({ length: 400 }, (_, length) =>
    length % 3 === 0 ? 'x'.repeat(length) : `${length * 7_919}`.repeat(length),
  );
  for (const text of texts) writer.query(`INSERT INTO custom_data.blocks VALUES ('${text}')`);
  const path = writer.query("SELECT data_paths[1] FROM system.tables WHERE name = 'blocks'", 'TSV');
  const column = await unpack(readFileSync(join(path.trim(), 'text.bin')));
  const result = await writer.queryAsync('SELECT text FROM custom_data.blocks', {
    format: 'RowBinary',
  });
  expect(column.equals(Buffer.from(result.bytes()))).toBe(true);
});

describe('compress=1 and decompress=1', () => {
  test('take a query in blocks and answer in blocks', async () => {
    const answer = await askInBlocks('SELECT id, name FROM t ORDER BY id LIMIT 3');
    expect(answer.status).toBe(200);
    expect(String(await unpack(answer.bytes))).toBe('0\tname 0\n1\tname 1\n2\tname 2\n');
  });

  test('stream a large result', async () => {
    const answer = await askInBlocks('SELECT number FROM numbers(1000000)');
    const numbers = String(await unpack(answer.bytes)).split('\n');
    expect(numbers).toHaveLength(1_000_001);
    expect(numbers[999_999]).toBe('999999');
    expect(answer.bytes.length).toBeLessThan(6_000_000);
  });

  test('answer an error in the first bytes as text', async () => {
    const answer = await askInBlocks('SELECT nothing FROM t');
    expect(answer.status).toBe(404);
    expect(String(answer.bytes)).toContain('UNKNOWN_IDENTIFIER');
  });

  test('do not get past the guard', async () => {
    expect(String((await askInBlocks('DROP TABLE t')).bytes)).toContain('READONLY');
    const hidden = await askInBlocks('SELECT hostName()');
    expect(String(hidden.bytes)).toContain('FUNCTION_NOT_ALLOWED');
  });

  test('do not get past the limit of a query', async () => {
    const long = await askInBlocks(`SELECT length('${'x'.repeat(260_000)}')`);
    expect(String(await unpack(long.bytes))).toBe('260000\n');
    const tooLong = await askInBlocks(`SELECT length('${'x'.repeat(300_000)}')`);
    expect([tooLong.status, String(tooLong.bytes)]).toEqual([
      413,
      expect.stringContaining('QUERY_IS_TOO_LARGE'),
    ]);
  });

  test('refuse what is no block', async () => {
    const answer = await ask(server.url, 'SELECT 1', { decompress: '1' });
    expect(answer.text).toContain('CANNOT_DECOMPRESS');
  });

  test('may be used one without the other', async () => {
    const plain = await askInBlocks('SELECT 1', { compress: '0' });
    expect(String(plain.bytes)).toBe('1\n');
    const packed = await fetch(`${server.url}/?compress=1&query=SELECT%202`);
    expect(String(await unpack(Buffer.from(await packed.arrayBuffer())))).toBe('2\n');
  });
});
