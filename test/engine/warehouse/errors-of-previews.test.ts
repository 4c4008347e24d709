import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

import { warehouseErrors } from '../../../src/ops/metrics.js';
import { blockOf, column, STRING } from '../../../src/warehouse/native/block.js';
import { openWarehouseOf, type OpenWarehouse, WAREHOUSES } from '../../support/chdb/warehouses.js';

const ASKED = blockOf([column('account', STRING, ['acme'])], 1);

async function errors(): Promise<number> {
  const { values } = await warehouseErrors.get();
  return values.reduce((sum, { value }) => sum + value, 0);
}

describe.each(WAREHOUSES)('an error of a look-up, %s', (kind) => {
  let opened: OpenWarehouse;

  beforeAll(async () => {
    opened = await openWarehouseOf(kind);
  });
  afterAll(() => opened.close());

  test.each([
    [158, 'SELECT sum(number) FROM numbers(1000000) SETTINGS max_rows_to_read = 1000'],
    [159, 'SELECT sum(number) FROM numbers(1000000000000) SETTINGS max_execution_time = 1'],
    [241, 'SELECT groupArray(number) FROM numbers(10000000) SETTINGS max_memory_usage = 4000000'],
  ])('counts unless a preview needs more than it may: %d', async (code, sql) => {
    const { warehouse } = opened;
    const before = await errors();
    await expect(warehouse.lookUp(sql, ASKED, 'previews')).rejects.toMatchObject({ code });
    expect(await errors()).toBe(before);
    await expect(warehouse.lookUp(sql, ASKED)).rejects.toMatchObject({ code });
    expect(await errors()).toBe(before + 1);
  });

  test('counts when a preview asks for what is not there', async () => {
    const before = await errors();
    const asked = opened.warehouse.lookUp('SELECT nothing FROM asked', ASKED, 'previews');
    await expect(asked).rejects.toThrow();
    expect(await errors()).toBe(before + 1);
  });
});
