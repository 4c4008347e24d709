import { expect, test } from '@jest/globals';

import { seedsIn, simulate } from '../../support/service/simulation.js';

// The tier `process` has the first 30 seeds.
test('170 more seeds find no violation, and run most of the code that is simulated', () => {
  const { report } = simulate('--seeds', '170', '--from', '31', '--coverage');
  expect(seedsIn(report)).toHaveLength(170);
  expect(report).toMatch(/^ingest: .* % of the lines have run$/m);
  const [, counts] = /^faults: (.*)$/m.exec(report)!;
  const kinds = counts!.split(', ').map((count) => count.replace(/ [1-9]\d*$/, ''));
  expect(kinds).toEqual([
    'batch out of memory',
    'batch rejected',
    'client gone amid a file',
    'exception while preparing',
    'log away',
    'process frozen',
    'process killed',
    'process told to stop',
    'request late',
    'request refused',
    'request repeated',
    'request without an answer',
    'warehouse away',
  ]);
});
