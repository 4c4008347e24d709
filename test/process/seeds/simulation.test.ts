import { expect, test } from '@jest/globals';

import { seedsIn, simulate } from '../../support/service/simulation.js';

// The tier `process` has the first 30 seeds.
test('170 more seeds find no violation, and run most of the code that is simulated', () => {
  const { report } = simulate('--seeds', '170', '--from', '31', '--coverage');
  expect(seedsIn(report)).toHaveLength(170);
  expect(report).toMatch(/^ingest: .* % of the lines have run$/m);
});
