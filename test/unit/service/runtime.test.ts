import { spawnSync } from 'node:child_process';

import { expect, it } from '@jest/globals';

import { REGISTER } from '../../support/log/program.js';

const RUNTIME = new URL('../../../src/service/runtime.ts', import.meta.url).href;

/** Prints how often V8 collects its whole heap while 1.3 GB outside it become garbage. */
const GARBAGE = `
import { constants, PerformanceObserver } from 'node:perf_hooks';
import { setUpRuntime } from '${RUNTIME}';
setUpRuntime();
let collections = 0;
const { NODE_PERFORMANCE_GC_MAJOR } = constants;
new PerformanceObserver((list) => {
  for (const { detail } of list.getEntries()) {
    if (detail.kind === NODE_PERFORMANCE_GC_MAJOR) collections++;
  }
}).observe({ entryTypes: ['gc'] });
const heap = Array.from({ length: 300_000 }, (_, at) => ({ at: [at] }));
for (let at = 0; at < 10_000; at++) {
  Buffer.allocUnsafeSlow(128 * 1024).fill(1);
  if (at % 10 === 0) await new Promise(setImmediate);
}
await new Promise((resolve) => setTimeout(resolve, 50));
process.stdout.write(String(collections * (heap.length > 0)));
`;

it('garbage outside the heap does not make V8 collect all of the heap again and again', () => {
  // Without threads of its own V8 collects at the same places, however busy the machine is.
  const quiet = ['--single-threaded-gc', '--no-deprecation'];
  const options = [...quiet, '--import', REGISTER, '--input-type=module', '--eval', GARBAGE];
  const { stdout, stderr } = spawnSync(process.execPath, options, { encoding: 'utf8' });
  // An unknown flag would be named here.
  expect(stderr).toBe('');
  // One, and 11 without the flag.
  expect(Number(stdout)).toBeLessThan(5);
  expect(stdout).not.toBe('');
});
