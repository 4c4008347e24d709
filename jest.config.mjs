import { TIERS } from './scripts/tiers.mjs';

/**
 * Tests run as ES modules from the TypeScript sources. The tests of the tier `process` start the
 * built service.
 */
const common = {
  // All tiers share the cache of compiled files.
  id: 'tests',
  testEnvironment: 'node',
  // Jest indexes these folders in each tier, but neither dist nor all that is in .cache.
  roots: ['bench', 'scripts', 'src', 'test'].map((folder) => `<rootDir>/${folder}`),
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  transform: {
    '^.+\\.ts$': '<rootDir>/scripts/typescript-to-esm.mjs',
  },
};

/** A hook may download a broker, then start it and four processes, on a busy machine. */
const LONG_MS = 300_000;

/** One project per tier: `npm run test:unit`, `npm run test:kafka` and so on. */
export default {
  projects: Object.entries(TIERS).map(([name, { folder, without = [], log }]) => ({
    ...common,
    globals: log === undefined ? {} : { DEPLOYMENT_LOG: log },
    displayName: name,
    testMatch: [`<rootDir>/${folder}/**/*.test.ts`],
    testPathIgnorePatterns: without.map((each) => `<rootDir>/${each}/`),
    // Test files share a broker. The first file that needs it starts it.
    globalSetup: '<rootDir>/test/support/kafka/global-setup.mjs',
    globalTeardown: '<rootDir>/test/support/kafka/global-teardown.mjs',
  })),
  testSequencer: '<rootDir>/scripts/slow-first.mjs',
  // scripts/test.mjs sets a shorter timeout for the unit tests.
  testTimeout: LONG_MS,
  // One more than the cores of the machine for measurements: the long files mostly wait.
  maxWorkers: 3,
  // Each file leaves some of its modules in memory. Collecting a large heap takes long, which
  // disturbs tests that measure time.
  workerIdleMemoryLimit: '400MB',
};
