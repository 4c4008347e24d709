/** How much is measured. Small enough that a run of everything takes minutes on two cores. */
export interface Sizes {
  /** Pairs of measurements. */
  readonly rounds: number;
  /** Cost files of a throughput measurement, and before it, so that code is compiled and caches are warm. */
  readonly files: number;
  readonly warmUpFiles: number;
  /** The same of the literal pipeline, which takes ten times as long for a file. */
  readonly literalFiles: number;
  readonly literalWarmUpFiles: number;
  /** Small files before either: what is done once a request is compiled after hundreds of requests only. */
  readonly warmUpSmallFiles: number;
  /** How often each of the files is uploaded, and how often accepted where nothing is processed. */
  readonly uploadRepeat: number;
  readonly acceptRepeat: number;
  readonly readSeconds: number;
  /** Files that one core prepares. */
  readonly oneCoreFiles: number;
  readonly storedRows: number;
  /** Uploads of a latency measurement, by kind. */
  readonly latencyUploads: number;
  /** Uploads of the leak check: memory is compared after the first number and after the second. */
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

/** Half a minute of load for B1, B3 and B5: for runs of two states of the code in alternation. */
export const LONG: Sizes = {
  ...FULL,
  rounds: 1,
  uploadRepeat: 40,
  acceptRepeat: 160,
  latencyUploads: 80,
};

/** Whether every benchmark still works and its results are right; its figures mean nothing. */
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
