/** How much is measured. Small enough that a run of everything takes about an hour on two cores. */
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
  /** Accounts for which each file is uploaded. */
  readonly accounts: number;
  /** How often a baseline takes each file. */
  readonly baselineTimes: number;
  /** How long files are accepted where nothing is processed. */
  readonly acceptSeconds: number;
  /** With fewer bytes in that time the measurement is not valid. */
  readonly acceptBytes: number;
  readonly readSeconds: number;
  /** Files that one core prepares again and again, and how long. */
  readonly oneCoreFiles: number;
  readonly oneCoreSeconds: number;
  readonly storedRows: number;
  /** Rows stored while files are previewed, and previews of each kind. */
  readonly previewStoredRows: number;
  readonly previews: number;
  /** Files of the account that reports ask about, which has half of all rows. */
  readonly reportFiles: number;
  /** How often each question is asked; the median counts. */
  readonly reportReads: number;
  /** How long merges may run after that load. */
  readonly settleMs: number;
  /** Uploads of each kind in a latency measurement. */
  readonly latencyUploads: number;
  /** Uploads at once while the log is stalled. */
  readonly stalledUploads: number;
  /** Uploads of the leak check, which compares the memory after the first and the second number. */
  readonly leakUploads: readonly [number, number];
  /** Uploads that an ingest process has open at once. */
  readonly memoryUploads: number;
}

export const FULL: Sizes = {
  rounds: 3,
  files: 80,
  warmUpFiles: 100,
  literalFiles: 30,
  literalWarmUpFiles: 3,
  warmUpSmallFiles: 2_000,
  accounts: 32,
  baselineTimes: 25,
  acceptSeconds: 30,
  acceptBytes: 3e9,
  readSeconds: 10,
  oneCoreFiles: 30,
  oneCoreSeconds: 10,
  storedRows: 50_000_000,
  previewStoredRows: 10_000_000,
  previews: 100,
  reportFiles: 500,
  reportReads: 9,
  settleMs: 60_000,
  latencyUploads: 80,
  stalledUploads: 64,
  leakUploads: [200, 2_000],
  memoryUploads: 1_000,
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
  accounts: 2,
  baselineTimes: 1,
  acceptSeconds: 0.3,
  acceptBytes: 0,
  readSeconds: 0.5,
  oneCoreFiles: 3,
  oneCoreSeconds: 0.5,
  storedRows: 200_000,
  previewStoredRows: 200_000,
  previews: 5,
  reportFiles: 10,
  reportReads: 1,
  settleMs: 0,
  latencyUploads: 3,
  stalledUploads: 4,
  leakUploads: [10, 30],
  memoryUploads: 20,
};
