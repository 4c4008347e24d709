import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

import { ask, openQueryServer, type TestQueryServer } from './query-server-fixture.js';

/** Half of the default, which takes half of the time. */
const MEMORY_BYTES = 512 * 1024 ** 2;
/** Distinct texts of 250 bytes: one and a half times the memory of a query. */
const COUNT = 3_000_000;
const TEXTS = textsOf('some_numbers');
const ENDLESS_TEXTS = textsOf('all_numbers');

function textsOf(numbers: string): string {
  return `SELECT concat(repeat('x', 242), toString(10000000 + number)) AS text FROM ${numbers}`;
}

describe('a report that needs more memory than a query may have', () => {
  let server: TestQueryServer;
  beforeAll(async () => {
    server = await openQueryServer({ queryTimeoutMs: 60_000, queryMemoryBytes: MEMORY_BYTES });
    for (const [view, numbers] of [
      ['some_numbers', `numbers_mt(${COUNT})`],
      ['all_numbers', 'system.numbers_mt'],
    ]) {
      server.writer.query(`CREATE VIEW custom_data.${view} AS SELECT number FROM ${numbers}`);
    }
  });
  afterAll(async () => {
    await server.close();
  });

  function filesLeft(): Promise<string[]> {
    return readdir(join(server.outside, 'warehouse', 'tmp'));
  }

  test('groups through files, and leaves none behind', async () => {
    const { text } = await ask(server.url, `SELECT count() FROM (${TEXTS} GROUP BY text)`);
    expect(text).toBe(`${COUNT}\n`);
    expect(await filesLeft()).toEqual([]);
  });

  test('sorts through files, and leaves none behind', async () => {
    const last = `${TEXTS} ORDER BY text LIMIT 1 OFFSET ${COUNT - 1}`;
    const { text } = await ask(server.url, `SELECT right(text, 8) FROM (${last})`);
    expect(text).toBe(`${10_000_000 + COUNT - 1}\n`);
    expect(await filesLeft()).toEqual([]);
  });

  test('leaves no file behind when it is stopped', async () => {
    const endless = `SELECT count() FROM (${ENDLESS_TEXTS} GROUP BY text)`;
    const { text } = await ask(server.url, endless, { max_execution_time: '4' });
    // It depends on the machine which of the two limits is reached first.
    expect(text).toMatch(/TIMEOUT_EXCEEDED|Limit for temporary files size exceeded/);
    expect(await filesLeft()).toEqual([]);
  });

  test('leaves 2 GiB of the disk to the uploads', async () => {
    const setting = 'min_free_disk_space_for_temporary_data';
    const { text } = await ask(
      server.url,
      `SELECT value FROM system.settings WHERE name = '${setting}'`,
    );
    expect(text).toBe(`${2 * 1024 ** 3}\n`);
  });

  test('is refused with the limit where it can do neither', async () => {
    const { status, text } = await ask(
      server.url,
      `SELECT length(groupArray(text)) FROM (${TEXTS})`,
    );
    expect(status).toBe(500);
    expect(text).toMatch(/MEMORY_LIMIT_EXCEEDED/);
    expect(text).toMatch(/maximum: 512.00 MiB.*QUERY_MAX_MEMORY_BYTES/s);
  });
});
