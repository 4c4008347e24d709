import type { Benchmark } from '../benchmark.js';
import { notRun } from '../report/figure.js';

/**
 * To be measured with Kafka and the ClickHouse server of the tests: an ingest process that has 1,000
 * uploads of 1 MiB open (their chunks are in the topic, their ends are not), then their ends while
 * the warehouse hangs, stays under 512 MiB; once the warehouse goes on, all rows have to be there.
 */
export const ingestMemory: Benchmark = () =>
  Promise.resolve([
    notRun('memory: ingest, 1000 uploads of 1 MiB open, warehouse stalled', 'not written yet'),
  ]);
