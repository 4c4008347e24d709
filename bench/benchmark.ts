import type { LoadGenerator } from './load/load-generator.js';
import type { Figure } from './report/figure.js';
import type { Sizes } from './sizes.js';

/** What every benchmark is given. */
export interface Bench {
  readonly sizes: Sizes;
  readonly generator: LoadGenerator;
  /** Says what is going on, on standard error: the table alone goes to standard output. */
  readonly say: (text: string) => void;
}

/**
 * Measures and gives lines of the table. Ends by comparing what is stored with what was sent, and
 * throws when the two differ.
 */
export type Benchmark = (bench: Bench) => Promise<readonly Figure[]>;
