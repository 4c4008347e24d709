/**
 * Property tests run the same cases every time, so that a failure comes from a change of the code.
 * To run more: `PROPERTY_SEED=$RANDOM PROPERTY_RUNS=20 npm test` (other cases, twenty times as
 * many).
 */
export function runs(count: number): { seed: number; numRuns: number } {
  return {
    seed: Number(process.env['PROPERTY_SEED'] ?? 20_260_310),
    numRuns: Math.ceil(count * Number(process.env['PROPERTY_RUNS'] ?? 1)),
  };
}
