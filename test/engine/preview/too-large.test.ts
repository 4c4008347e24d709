import { setTimeout as sleep } from 'node:timers/promises';

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

import { COST, SELF_SERVE } from '../../../src/domain/families/index.js';
import type { Preview } from '../../../src/preview/answer.js';
import type { Previewer } from '../../../src/preview/previewer.js';
import {
  type LookUpLane,
  type NativeBlock,
  WarehouseError,
} from '../../../src/warehouse/warehouse.js';
import { passingOn } from '../../support/chdb/warehouse.js';
import { WAREHOUSES } from '../../support/chdb/warehouses.js';
import type { CsvRow } from '../../support/model/warehouse-model.js';
import { Previews } from '../../support/preview/previews.js';

/** Files that are valid, but too large to compare. */

const metric = (values: CsvRow = {}): CsvRow => ({
  ...{ date: '2026-03-01', channel: 'Search', event_category: 'A', event_value: '1' },
  ...values,
});

const notCompared = (keys: number): Partial<Preview> => ({
  valid: true,
  compared: false,
  keys: { total: keys, new: null, replaced: null, unchanged: null },
  totals: null,
  replaced: [],
});

describe.each(WAREHOUSES)('the preview of a file that is too large to compare, %s', (kind) => {
  let previews: Previews;

  beforeAll(async () => {
    previews = await Previews.open(kind);
  });
  afterAll(() => previews.close());

  const preview = (rows: readonly CsvRow[]): Promise<Preview> =>
    previews.preview('acme', { family: SELF_SERVE, rows });

  test('counts more than 100,000 keys', async () => {
    const rows = Array.from({ length: 100_001 }, (_, at) => metric({ event_category: `M${at}` }));
    expect(await preview(rows)).toMatchObject({ ...notCompared(100_001), rows: 100_001 });
  });

  test.each([
    ['200,000 rows', 200_001, ''],
    // Each row has a text of its own, so that none is like another one.
    ['16 MiB', 70_000, 'x'.repeat(230)],
  ])('counts more than %s, and warns of nothing', async (_, length, text) => {
    const rows = Array.from({ length }, (_, at) => {
      const channel = at % 2 === 0 ? 'Search' : 'search';
      return metric({ channel, content: `${text}${at}` });
    });
    expect(await preview(rows)).toMatchObject({ ...notCompared(2), rows: length, warnings: [] });
  });

  test('counts one row that would replace more rows than a comparison may read', async () => {
    const account = previews.newAccount();
    const content = 'x'.repeat(100);
    const rows = Array.from({ length: 400_000 }, (_, at) => metric({ content: `${content}${at}` }));
    await previews.upload(account, { family: SELF_SERVE, rows });
    const file = { family: SELF_SERVE, rows: [metric()] };
    const found = await previews.preview(account, file);
    expect(found).toMatchObject({ ...notCompared(1), rows: 1 });
  });

  test.each([
    ['read too much', new WarehouseError('Limit for rows exceeded', 'retry', 158)],
    ['take too long', new WarehouseError('Timeout exceeded', 'retry', 159)],
    ['need too much memory', new WarehouseError('Memory limit exceeded', 'memory', 241)],
  ])('asks for no totals where the comparison would %s', async (_, error) => {
    const asked: string[] = [];
    const file = {
      family: COST,
      rows: [
        {
          ...{ date: '2026-03-01', channel: 'Search', currency: 'EUR', campaign: 'A' },
          ...{ impressions: '1', clicks: '1', cost: '1' },
        },
      ],
    };
    const previewer = failing(asked, error);
    const found = await previews.preview(previews.newAccount(), file, previewer);
    expect(found).toMatchObject({
      ...notCompared(1),
      warnings: [{ code: 'new-channel' }],
    });
    expect(asked.filter((sql) => sql.includes('max_rows_to_read'))).toEqual([]);
  });

  test('is answered in time by a warehouse that is slow, but not too slow for any query', async () => {
    const { warehouse } = previews;
    let asked = 0;
    const previewer = previews.previewerOf(
      passingOn(warehouse, {
        async lookUp<Row>(...look: Parameters<typeof warehouse.lookUp>): Promise<Row[]> {
          asked++;
          await sleep(2_600);
          return warehouse.lookUp<Row>(...look);
        },
      }),
    );
    const rows = Array.from({ length: 40_000 }, (_, at) => metric({ event_category: `M${at}` }));
    const begun = performance.now();
    const found = await previews.preview('acme', { family: SELF_SERVE, rows }, previewer);
    expect(performance.now() - begun).toBeLessThan(10_000);
    expect(found).toMatchObject(notCompared(40_000));
    expect(asked).toBeLessThan(4);
  });

  /** A previewer whose comparisons fail; `asked` gets its other look-ups. */
  function failing(asked: string[], error: WarehouseError): Previewer {
    const { warehouse } = previews;
    return previews.previewerOf(
      passingOn(warehouse, {
        lookUp<Row>(sql: string, block: NativeBlock, lane?: LookUpLane): Promise<Row[]> {
          // Only the comparison joins.
          if (sql.includes('JOIN (')) return Promise.reject(error);
          asked.push(sql);
          return warehouse.lookUp<Row>(sql, block, lane);
        },
      }),
    );
  }
});
