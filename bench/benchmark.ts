import type { LoadGenerator } from './load/load-generator.js';
import type { Figure } from './report/figure.js';
import type { Sizes } from './sizes.js';

/** The input of every benchmark. */
export interface Bench {
  readonly sizes: Sizes;
  readonly generator: LoadGenerator;
  /** Reports progress on standard error. Only the table goes to standard output. */
  readonly say: (text: string) => void;
}

/**
 * Measures and returns lines of the table. At the end it compares the stored rows with the sent
 * ones, and throws when they differ.
 */
export type Benchmark = (bench: Bench) => Promise<readonly Figure[]>;
