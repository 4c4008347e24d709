import TestSequencer from '@jest/test-sequencer';

/** Files that take long for their size, the slowest first. */
const SLOW = [
  'test/engine/preview/previewer',
  'test/engine/status/history-retention',
  'test/engine/warehouse/rows/quiet-merges',
  'test/engine/clickhouse/faults',
  'test/engine/query/streaming',
  'test/engine/gateway/log-trouble',
  'test/engine/preview/warnings/account-warnings',
  'test/engine/gateway/broken-clients',
  'test/engine/preview/too-large',
  'test/engine/gateway/preview',
  'test/engine/query/large-reports',
  'test/browser/console/page',
  'test/browser/console/upload',
  'test/browser/console/convert',
  'test/browser/console/queue',
  'test/browser/console/preview',
  'test/deploy/alerts',
  'test/kafka/service',
  'test/kafka/outage',
  'test/kafka/groups',
  'test/kafka/lost-sync',
  'test/kafka/refused',
  'test/process/simulation',
  'test/process/deployments/erase',
  'test/process/query/newest-engine',
  'test/process/ops/observed',
  'test/process/deploy/reports',
  'test/process/clickhouse/outage',
  'test/process/clients/cli/upload/resume',
  'test/process/end',
  'test/process/deployments/views',
  'test/process/deployments/kill',
  'test/process/docs/operations',
  'test/process/clickhouse/roles',
  'test/process/deployments/memory',
  'test/process/e2e/upgrade',
  'test/process/deployments/idempotency',
  'test/process/e2e/backup',
  'test/process/deployments/orphans',
  'test/process/e2e/process',
  'test/process/docs/walk',
  'test/process/log/lmdb/processes',
  'test/process/e2e/schemathesis',
  'test/process/clients/cli/upload/upload',
  'test/process/clickhouse/start',
  'test/process/deployments/overwrite',
  'test/process/clients/cli/preview',
  'test/process/docs/readme',
  'test/process/deployments/replay',
  'test/process/chaos/partitions-added',
  'test/process/chaos/zombie',
  'test/process/chaos/stopped-gateway',
  'test/process/chaos/lost-answers',
].map((name) => `/${name}.test.ts`);

/**
 * Begins each tier with its slow files. Where no earlier run has left its times, as in a fresh
 * clone, jest begins with the largest files. A small slow one then ends the tier alone.
 */
export default class SlowFirst extends TestSequencer {
  sort(tests) {
    const place = ({ path }) => {
      const at = SLOW.findIndex((name) => path.endsWith(name));
      return at === -1 ? SLOW.length : at;
    };
    return super.sort(tests).toSorted((a, b) => place(a) - place(b));
  }
}
