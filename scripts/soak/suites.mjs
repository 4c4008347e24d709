import { readdirSync } from 'node:fs';

/** The tests whose subject is a fault, a suite at a time: a file, or a folder whose tests share the time. */
const chaos = readdirSync(new URL('../../test/process/chaos', import.meta.url));

const paths = [
  ...chaos.map((name) => `test/process/chaos/${name}`),
  'test/kafka/cluster/',
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

export const SUITES = [
  ...paths.map((path) => ({ path, env: {} })),
  // The file that the documents speak of. It measures memory, and a collector that gets no processor
  // time leaves garbage: so it runs first, with nothing beside it.
  {
    path: 'test/process/clients/cli/upload/memory.test.ts',
    env: { LARGE_FILE_ROWS: '5000000' },
    isAlone: true,
  },
];
