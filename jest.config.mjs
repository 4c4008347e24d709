/** Tests run as ES modules, from the TypeScript sources; end-to-end tests start the built service. */
export default {
  testEnvironment: 'node',
  roots: ['<rootDir>/test'],
  testMatch: ['**/*.test.ts'],
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  transform: {
    '^.+\\.ts$': ['ts-jest', { useESM: true, diagnostics: false }],
  },
  // The Kafka tests share a broker, started by the first of them.
  globalSetup: '<rootDir>/test/helpers/kafka/global-setup.mjs',
  globalTeardown: '<rootDir>/test/helpers/kafka/global-teardown.mjs',
  // Of hooks too: one of them may fetch a broker, start it and four processes, on a busy machine.
  testTimeout: 300_000,
  // One more than the cores of the machine that this is measured on: the long files mostly wait.
  maxWorkers: 3,
  // Each file leaves some of its modules behind; collecting a large heap takes long, and tests measure time.
  workerIdleMemoryLimit: '400MB',
};
