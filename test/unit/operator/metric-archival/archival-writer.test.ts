import { afterEach, expect, test } from '@jest/globals';
import { pino } from 'pino';

import { lastVersionAt } from '../../../../src/domain/version.js';
import { startArchivals } from '../../../../src/operator/metric-archival/archival-writer.js';
import {
  type NativeBlock,
  WarehouseError,
  type Warehouse,
} from '../../../../src/warehouse/warehouse.js';
import { LogFolders, record } from '../../../support/log/log-folders.js';
import { until } from '../../../support/until.js';

const folders = new LogFolders();
afterEach(() => folders.cleanUp());

test('a refused order waits for a warehouse that takes it, and ends nothing', async () => {
  const log = await folders.open();
  const order = JSON.stringify({ action: 'archive-metric', account: 'acme', name: 'installs' });
  await log.append('control', [record(order, { headers: { type: 'metric-archival' } })]);
  const lines: string[] = [];
  let inserts = 0;
  const warehouse = {
    insert: () =>
      ++inserts < 3
        ? Promise.reject(new WarehouseError('no such value', 'rejected', 53))
        : Promise.resolve(),
  } as unknown as Warehouse;
  const archivals = await startArchivals(
    log,
    warehouse,
    { covers: () => false },
    pino({}, { write: (line: string) => lines.push(line) }),
  );
  await Promise.race([until(() => inserts === 3), archivals.failed]);
  await archivals.stop();
  expect(lines.filter((line) => line.includes('the metric catalogue waits'))).toHaveLength(2);
});

test('an order is dropped whose account is erased while the warehouse is away', async () => {
  const log = await folders.open();
  for (const account of ['acme', 'other']) {
    const order = JSON.stringify({ action: 'archive-metric', account, name: 'installs' });
    await log.append('control', [record(order, { headers: { type: 'metric-archival' } })]);
  }
  const erased = new Map<string, bigint>();
  const rows: number[] = [];
  let inserts = 0;
  const warehouse = {
    insert: (_: string, block: NativeBlock) => {
      if (++inserts === 1) {
        erased.set('acme', lastVersionAt(Date.now()));
        return Promise.reject(new WarehouseError('away', 'retry'));
      }
      rows.push(block.rows);
      return Promise.resolve();
    },
  } as unknown as Warehouse;
  const archivals = await startArchivals(
    log,
    warehouse,
    { covers: (account, version) => version <= (erased.get(account) ?? -1n) },
    pino({ level: 'silent' }),
  );
  await Promise.race([until(() => rows.length > 0), archivals.failed]);
  await archivals.stop();
  expect(rows).toEqual([1]);
});
