import { tmpdir } from 'node:os';
import { afterEach, expect, jest, test } from '@jest/globals';
import { pino } from 'pino';
import { readConfig } from '../../../src/config/read-config.js';
import { createServiceOps } from '../../../src/service/service-ops.js';
import type { RequestStore } from '../../../src/status/request-store.js';
import type { Warehouse } from '../../../src/warehouse/warehouse.js';
import { MemoryLog } from '../../support/gateway/memory-log.js';

/** Of scrapes. */
const MINUTES = 10;

afterEach(() => {
  jest.restoreAllMocks();
});

test.each([15, 30, 60, 120])(
  'with a scrape every %i s, both counts of the history go on',
  async (seconds) => {
    const counted = { totals: 0, punctuality: 0 };
    const requests: Pick<RequestStore, 'totals' | 'punctuality'> = {
      totals: () => {
        counted.totals++;
        return Promise.resolve([]);
      },
      punctuality: () => {
        counted.punctuality++;
        return Promise.resolve([]);
      },
    };
    const ops = createServiceOps({
      config: readConfig({ DATA_DIR: tmpdir() }),
      logger: pino({ level: 'silent' }),
      log: new MemoryLog(),
      // It is asked for readiness only.
      warehouse: {} as Warehouse,
      requests: requests as RequestStore,
      phase: () => 'running',
      viewProgress: () => undefined,
    });
    const now = performance.now.bind(performance);
    let passed = 0;
    jest.spyOn(performance, 'now').mockImplementation(() => now() + passed);
    try {
      const port = await ops.listen(0, '127.0.0.1');
      for (; passed < MINUTES * 60_000; passed += seconds * 1_000) {
        expect((await fetch(`http://127.0.0.1:${port}/metrics`)).status).toBe(200);
      }
    } finally {
      await ops.close();
    }
    // Each at least every other minute.
    expect(Math.min(counted.totals, counted.punctuality)).toBeGreaterThanOrEqual(MINUTES / 2);
  },
);
