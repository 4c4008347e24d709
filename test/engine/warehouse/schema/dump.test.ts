import { readFile, writeFile } from 'node:fs/promises';

import { expect, test } from '@jest/globals';

import { openTestWarehouse } from '../../../support/chdb/warehouse.js';

const DUMP = new URL('../../../../src/warehouse/schema/dump.sql', import.meta.url);

/** `UPDATE_DUMP=1 npm test -- dump.test` rewrites the dump. */
test('the dump is what the scripts make', async () => {
  const opened = await openTestWarehouse();
  try {
    const objects = await opened.warehouse.query<{ sql: string }>(
      `SELECT formatQuery(create_table_query) AS sql FROM system.tables
       WHERE database = {database:String} ORDER BY name`,
      { database: opened.database },
    );
    const text = [
      '-- The schema as it is once every script has run. Written by a test, never by hand.',
      ...objects.map(({ sql }) => `${sql};`),
    ].join('\n\n');
    if (process.env['UPDATE_DUMP'] === '1') await writeFile(DUMP, `${text}\n`);
    expect(await readFile(DUMP, 'utf8')).toBe(`${text}\n`);
    // A view that joins whole tuples reads all of their elements.
    expect(text).not.toMatch(/ARRAY JOIN\s+(?:combinations|csv_rows|totals)\b(?!\.)/);
  } finally {
    await opened.close();
  }
});
