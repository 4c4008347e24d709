import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

import {
  COST,
  FAMILIES,
  keyColumns,
  ownTexts,
  valueColumns,
  type Column,
} from '../../../../src/domain/families/index.js';
import { STATUSES } from '../../../../src/status/transition.js';
import { openTestWarehouse, type TestWarehouse } from '../../../support/chdb/warehouse.js';

let opened: TestWarehouse;
beforeAll(async () => {
  opened = await openTestWarehouse();
});
afterAll(() => opened.close());

async function columnsOf(table: string): Promise<{ name: string; type: string }[]> {
  const rows = await opened.warehouse.query<{ name: string; type: string }>(
    `SELECT name, type FROM system.columns
     WHERE database = {database:String} AND table = {table:String} ORDER BY position`,
    { database: opened.database, table },
  );
  return rows.map(({ name, type }) => ({ name, type: type.replace(/\s+/g, ' ') }));
}

const names = (columns: readonly { readonly name: string }[]): string[] =>
  columns.map(({ name }) => name);

function elementType({ name, kind }: Column): string {
  switch (kind) {
    case 'count':
      return `${name} UInt64`;
    case 'amount':
      return `${name} Float64`;
    default:
      return `${name} String`;
  }
}

describe.each(FAMILIES)('$table', (family) => {
  const sortingKey = ['account', ...names(keyColumns(family))];

  test('stores the combinations of an overwrite key, and its rows, with the columns of the family', async () => {
    const arrayOf = (columns: readonly Column[]): string =>
      `Array(Tuple(${[...columns.map(elementType), 'texts String'].join(', ')}))`;
    const totals = 'Array(Tuple(currency String, impressions UInt64, clicks UInt64, cost Float64))';
    expect(await columnsOf(family.table)).toEqual([
      { name: 'account', type: 'LowCardinality(String)' },
      { name: 'date', type: 'Date' },
      { name: 'channel', type: 'LowCardinality(String)' },
      { name: sortingKey.at(-1), type: 'String' },
      { name: 'version', type: 'UInt128' },
      { name: 'request_id', type: 'UUID' },
      { name: 'uploaded_at', type: "DateTime('UTC')" },
      { name: 'combinations', type: arrayOf([...valueColumns(family), ...ownTexts(family)]) },
      { name: 'csv_rows', type: arrayOf(valueColumns(family)) },
      ...(family === COST ? [{ name: 'totals', type: totals }] : []),
    ]);
  });

  test('has one place for each overwrite key', async () => {
    const [table] = await opened.warehouse.query(
      `SELECT engine_full, sorting_key, partition_key FROM system.tables
       WHERE database = {database:String} AND name = {table:String}`,
      { database: opened.database, table: family.table },
    );
    expect(table).toEqual({
      engine_full: expect.stringContaining('ReplacingMergeTree(version)'),
      sorting_key: sortingKey.join(', '),
      partition_key: '',
    });
  });

  test('its rows view is named by the columns of the file', async () => {
    expect(names(await columnsOf(`${family.table}_rows`))).toEqual([
      'account',
      ...names(family.columns),
      'request_id',
      'uploaded_at',
    ]);
  });

  test('its report has every group-by column, then the metrics', async () => {
    const metrics = family.columns.filter(({ role }) => role === 'metric');
    const dimensions = family.columns.filter(({ role }) => role !== 'metric');
    expect(names(await columnsOf(`${family.table}_report`))).toEqual([
      'account',
      ...names(dimensions),
      ...names(metrics),
    ]);
  });
});

test('the catalogue and the history have the columns that analysts were promised', async () => {
  expect(names(await columnsOf('cost_summary'))).toEqual([
    'account',
    'date',
    'channel',
    'campaign',
    'currency',
    'impressions',
    'clicks',
    'cost',
  ]);
  expect(await columnsOf('self_serve_summary')).toEqual([
    { name: 'account', type: 'LowCardinality(String)' },
    { name: 'date', type: 'Date' },
    { name: 'channel', type: 'LowCardinality(String)' },
    { name: 'event_category', type: 'String' },
    { name: 'event_value', type: 'Float64' },
  ]);
  expect(names(await columnsOf('metrics'))).toEqual([
    'account',
    'name',
    'first_seen',
    'last_seen',
    'archived',
  ]);
  expect(names(await columnsOf('upload_requests'))).toEqual([
    'request_id',
    'account',
    'family',
    'status',
    'prev_status',
    'reason',
    'created_at',
    'updated_at',
  ]);
});

test('the views of quality and usage have the columns and types that analysts were promised', async () => {
  expect(await columnsOf('data_freshness')).toEqual([
    { name: 'account', type: 'LowCardinality(String)' },
    { name: 'family', type: 'String' },
    { name: 'channel', type: 'LowCardinality(String)' },
    { name: 'first_date', type: 'Date' },
    { name: 'last_date', type: 'Date' },
    { name: 'last_upload', type: "DateTime('UTC')" },
    { name: 'missing_days', type: 'Array(Date)' },
  ]);
  expect(await columnsOf('spelling_variants')).toEqual([
    { name: 'account', type: 'LowCardinality(String)' },
    { name: 'column', type: 'String' },
    { name: 'plain_form', type: 'String' },
    { name: 'value', type: 'String' },
    { name: 'rows', type: 'UInt64' },
    { name: 'last_date', type: 'Date' },
  ]);
  const counts = ['uploads', ...STATUSES].map((name) => ({ name, type: 'UInt64' }));
  expect(await columnsOf('upload_activity')).toEqual([
    { name: 'account', type: 'LowCardinality(String)' },
    { name: 'family', type: 'LowCardinality(String)' },
    { name: 'day', type: 'Date' },
    ...counts,
    { name: 'failed_columns', type: 'Map(String, UInt64)' },
    { name: 'rows', type: 'UInt64' },
    { name: 'bytes', type: 'UInt64' },
  ]);
});

test('every table syncs what it acknowledges and what it merges', async () => {
  const tables = await opened.warehouse.query<{ name: string; engine_full: string }>(
    `SELECT name, engine_full FROM system.tables
     WHERE database = {database:String} AND engine LIKE '%MergeTree'`,
    { database: opened.database },
  );
  expect(tables).toHaveLength(9);
  for (const { engine_full } of tables) {
    expect(engine_full).toContain('fsync_after_insert = 1');
    expect(engine_full).toContain('fsync_part_directory = 1');
    expect(engine_full).toContain('min_rows_to_fsync_after_merge = 1');
  }
});
