/**
 * The tiers of the tests in the order in which they run, the quick ones first.
 *
 * `npm test` runs the tiers that are not `apart`. A tier is `apart` if it needs what not every
 * machine has (a second broker, a mount or containers), or if it repeats other tests on other
 * servers or with more load. `.ci/run` runs all tiers.
 */
export const TIERS = {
  /** No engine, no broker, no build; no test takes over 5 s. */
  unit: { folder: 'test/unit', minutes: 2, testSeconds: 5 },
  /** The ClickHouse engine, in the process or behind HTTP, and other tests that take seconds. */
  engine: { folder: 'test/engine', minutes: 6 },
  /** The console and the API's page in Chromium. */
  browser: { folder: 'test/browser', minutes: 3 },
  /** What is shipped beside the code: alerts, Kubernetes objects. */
  deploy: { folder: 'test/deploy', without: ['test/deploy/containers'], minutes: 2 },
  /** The adapter on one real broker. */
  kafka: { folder: 'test/kafka', without: ['test/kafka/cluster'], minutes: 3 },
  /** The built service as processes: used, killed, cut off. */
  process: {
    folder: 'test/process',
    without: ['alone', 'disk', 'chaos', 'seeds'].map((name) => `test/process/${name}`),
    log: 'lmdb',
    minutes: 12,
  },
  /** What no other test may disturb: memory that is measured, and times. */
  alone: { folder: 'test/process/alone', workers: 1, minutes: 2 },
  /** The deployment tests of the tier `process`, on Kafka and ClickHouse. */
  scaled: { folder: 'test/process/deployments', log: 'kafka', minutes: 5, apart: true },
  /** Faults under load on Kafka and ClickHouse. The soak runs the long versions. */
  chaos: { folder: 'test/process/chaos', minutes: 9, apart: true },
  /** The simulation with more seeds. */
  seeds: { folder: 'test/process/seeds', minutes: 4, apart: true },
  /** Disks that lose power, fill up or turn read-only. */
  disk: { folder: 'test/process/disk', minutes: 4, apart: true },
  /** Three brokers under faults. Each of the two files starts its own and mostly waits. */
  cluster: { folder: 'test/kafka/cluster', minutes: 8, apart: true },
  /** The image, built, and the services of the compose file. */
  containers: { folder: 'test/deploy/containers', minutes: 8, apart: true },
};

/** The tiers that `npm run test:NAME` runs besides the tier NAME. */
export const WITH = {
  process: ['alone', 'scaled', 'chaos', 'seeds', 'disk'],
  kafka: ['cluster'],
  deploy: ['containers'],
};
