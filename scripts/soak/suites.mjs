import { readdirSync } from 'node:fs';

/** The tests whose subject is a fault. A suite is one file, or one folder. */
const chaos = readdirSync(new URL('../../test/process/chaos', import.meta.url));

const paths = [
  ...chaos.map((name) => `test/process/chaos/${name}`),
  'test/kafka/outage.test.ts',
  'test/process/clickhouse/outage.test.ts',
  'test/process/clickhouse/refusals.test.ts',
  'test/process/clickhouse/start.test.ts',
  'test/process/deployments/kill.test.ts',
  'test/process/deployments/orphans.test.ts',
  'test/process/disk/full-disk.test.ts',
  'test/process/disk/power-loss.test.ts',
  'test/process/log/lmdb/processes.test.ts',
];

/**
 * Tests of what is stored and deleted. They make few faults or none, so each runs once, and later
 * by chance. Only in the soak do they run on the mixed deployments, too:
 * `test/support/service/deployment.ts`.
 */
const deployments = ['archive', 'erase', 'idempotency', 'overwrite', 'replay', 'views'];

export const SUITES = [
  // Takes as long as all the others together, so it begins first.
  { path: 'test/kafka/cluster/', env: {}, isLong: true },
  ...paths.map((path) => ({ path, env: {} })),
  ...deployments.map((name) => ({ path: `test/process/deployments/${name}.test.ts`, env: {} })),
  // Uses the large file that the documents mention. The test measures memory, and garbage
  // collection needs processor time, so it runs first and alone.
  {
    path: 'test/process/alone/upload-memory.test.ts',
    env: { LARGE_FILE_ROWS: '5000000' },
    isAlone: true,
  },
];
