import { createHash } from 'node:crypto';

import { beforeAll, describe, expect, it } from '@jest/globals';

import { seedsIn, simulate } from '../support/service/simulation.js';

// The tier `seeds` has the seeds from 31 on.
describe('the simulation', () => {
  let report: string;
  beforeAll(() => {
    ({ report } = simulate('--seeds', '30'));
  });

  it('finds no violation in 30 seeds', () => {
    expect(seedsIn(report)).toHaveLength(30);
    expect(report).toMatch(/^faults: .*process killed [1-9]/m);
  });

  it('gives the same trace for the same seed, byte for byte, alone and after others', () => {
    const digest = /^seed 17: .* trace (\w+)/m;
    const [, among] = digest.exec(report)!;
    const { report: alone, trace } = simulate('--seed', '17');
    expect(digest.exec(alone)![1]).toBe(among);
    expect(trace.length).toBeGreaterThan(100_000);
    const written = createHash('sha256').update(trace.slice(0, -1)).digest('hex');
    expect(written.startsWith(among!)).toBe(true);
  });
});
