/**
 * The tiers of the tests, in the order in which they run: the quick ones first.
 *
 * `npm test` runs those that are not `apart`. A tier that is apart needs what not every machine has (a
 * second broker, a mount, or containers), or shows on other servers, and with more of everything,
 * what the others have shown. `.ci/run` runs all of them.
 */
export const TIERS = {
  /** No engine, no broker, no build; no test takes over 5 s. */
  unit: { folder: 'test/unit', minutes: 2, testSeconds: 5 },
  /** With the ClickHouse engine, in the process or behind HTTP, and whatever else takes seconds. */
  engine: { folder: 'test/engine', minutes: 6 },
  /** The console and the API's page in Chromium. */
  browser: { folder: 'test/browser', minutes: 2 },
  /** What is shipped beside the code: alerts, Kubernetes objects. */
  deploy: { folder: 'test/deploy', without: ['test/deploy/containers'], minutes: 2 },
  /** The adapter on one real broker. */
  kafka: { folder: 'test/kafka', without: ['test/kafka/cluster'], minutes: 5 },
  /** The built service as processes: used, killed, cut off. */
  process: {
    folder: 'test/process',
    without: ['test/process/disk', 'test/process/chaos'],
    log: 'lmdb',
    minutes: 20,
  },
  /** What the tier before showed on an embedded service, on Kafka and ClickHouse. */
  scaled: { folder: 'test/process/deployments', log: 'kafka', minutes: 8, apart: true },
  /** Faults under load on Kafka and ClickHouse; the long forms run in the soak. */
  chaos: { folder: 'test/process/chaos', minutes: 12, apart: true },
  /** Disks that lose power, fill up or turn read-only. */
  disk: { folder: 'test/process/disk', minutes: 6, apart: true },
  /** Three brokers under faults; a file at a time, since each has its own. */
  cluster: { folder: 'test/kafka/cluster', workers: 1, minutes: 14, apart: true },
  /** The image, built and run. */
  containers: { folder: 'test/deploy/containers', minutes: 10, apart: true },
};

/** What `npm run test:NAME` runs besides the tier of that name. */
export const WITH = {
  process: ['scaled', 'chaos', 'disk'],
  kafka: ['cluster'],
  deploy: ['containers'],
};
