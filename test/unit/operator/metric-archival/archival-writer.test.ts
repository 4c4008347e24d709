import { afterEach, expect, test } from '@jest/globals';
import { pino } from 'pino';

import { startArchivals } from '../../../../src/operator/metric-archival/archival-writer.js';
import { WarehouseError, type Warehouse } from '../../../../src/warehouse/warehouse.js';
import { LogFolders, record, until } from '../../../support/log/log-folders.js';

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
    pino({}, { write: (line: string) => lines.push(line) }),
  );
  await Promise.race([until(() => inserts === 3), archivals.failed]);
  await archivals.stop();
  expect(lines.filter((line) => line.includes('the metric catalogue waits'))).toHaveLength(2);
});
