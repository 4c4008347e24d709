/** How much is measured. Small enough that a run of everything takes minutes on two cores. */
export interface Sizes {
  /** Pairs of measurements. */
  readonly rounds: number;
  /** Cost files of a measurement, and of the warm-up, which compiles code and fills caches. */
  readonly files: number;
  readonly warmUpFiles: number;
  /** The same for the literal pipeline, which takes ten times as long per file. */
  readonly literalFiles: number;
  readonly literalWarmUpFiles: number;
  /**
   * Small files before either warm-up: per-request code is compiled after hundreds of requests
   * only.
   */
  readonly warmUpSmallFiles: number;
  /** How often each file is uploaded, and how often it is accepted where nothing is processed. */
  readonly uploadRepeat: number;
  readonly acceptRepeat: number;
  readonly readSeconds: number;
  /** Files that one core prepares. */
  readonly oneCoreFiles: number;
  readonly storedRows: number;
  /** Uploads of each kind in a latency measurement. */
  readonly latencyUploads: number;
  /** Uploads of the leak check, which compares the memory after the first and the second number. */
  readonly leakUploads: readonly [number, number];
  /** Uploads that an ingest process has open at once. */
  readonly memoryUploads: number;
}

export const FULL: Sizes = {
  rounds: 5,
  files: 80,
  warmUpFiles: 100,
  literalFiles: 12,
  literalWarmUpFiles: 3,
  warmUpSmallFiles: 2_000,
  uploadRepeat: 1,
  acceptRepeat: 4,
  readSeconds: 3,
  oneCoreFiles: 30,
  storedRows: 5_000_000,
  latencyUploads: 20,
  leakUploads: [200, 2_000],
  memoryUploads: 1_000,
};

/**
 * Half a minute of load for B1, B3 and B5, to compare two states of the code in alternating runs.
 */
export const LONG: Sizes = {
  ...FULL,
  rounds: 1,
  uploadRepeat: 40,
  acceptRepeat: 160,
  latencyUploads: 80,
};

/**
 * Checks that every benchmark still works and that its results are right. The figures mean nothing.
 */
export const SMOKE: Sizes = {
  rounds: 1,
  files: 6,
  warmUpFiles: 1,
  literalFiles: 2,
  literalWarmUpFiles: 1,
  warmUpSmallFiles: 5,
  uploadRepeat: 1,
  acceptRepeat: 2,
  readSeconds: 0.5,
  oneCoreFiles: 3,
  storedRows: 200_000,
  latencyUploads: 3,
  leakUploads: [10, 30],
  memoryUploads: 20,
};
