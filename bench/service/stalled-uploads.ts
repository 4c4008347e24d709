import { setTimeout as sleep } from 'node:timers/promises';

import type { Bench } from '../benchmark.js';
import type { FillerSpec } from '../load/filler-files.js';
import { Child } from '../process/child.js';
import { residentBytes } from '../process/usage.js';
import type { StalledGatewayCommands } from '../programs/stalled-gateway.js';

const SAMPLE_MS = 25;
/** After this time without progress, the gateway has taken all that it takes without its log. */
const QUIET_MS = 1_500;
/** Few, because memory that they leave behind would hide some of the growth. */
const WARM_UP_UPLOADS = 2;

/** Resident memory of the gateway's process, in bytes. */
export interface StalledMemory {
  readonly before: number;
  readonly peak: number;
}

/**
 * Measures the memory of a gateway with concurrent uploads while its log is stalled. Then the log
 * continues. Every upload must be accepted, and every byte must have reached the log.
 */
export async function memoryWhileStalled(
  { generator }: Bench,
  load: FillerSpec,
  uploads: number,
): Promise<StalledMemory> {
  await generator.prepare(load);
  const gateway = Child.start<StalledGatewayCommands>('programs/stalled-gateway', {
    execArgv: ['--expose-gc'],
  });
  try {
    const target = await gateway.call('start');
    const post = (count: number): Promise<unknown> => {
      const tokens = Array<string>(count).fill(target.token);
      return generator.program.call('post', { target, load, concurrency: count, tokens });
    };
    await post(WARM_UP_UPLOADS);
    await gateway.call('stall');
    const before = await residentBytes(gateway.pid);
    const posted = post(uploads);
    const peak = await peakUntilQuiet(gateway, before);
    await gateway.call('resume');
    await posted;
    const found = await gateway.call('fileBytes');
    const expected = (WARM_UP_UPLOADS + uploads) * load.bytes;
    if (found !== expected) throw new Error(`the log has ${found} bytes, ${expected} were sent`);
    return { before, peak };
  } finally {
    await gateway.end();
  }
}

async function peakUntilQuiet(
  gateway: Child<StalledGatewayCommands>,
  before: number,
): Promise<number> {
  let peak = before;
  let seen = await gateway.call('fileBytes');
  let movedAt = performance.now();
  while (performance.now() - movedAt < QUIET_MS) {
    await sleep(SAMPLE_MS);
    peak = Math.max(peak, await residentBytes(gateway.pid));
    const bytes = await gateway.call('fileBytes');
    if (bytes !== seen) movedAt = performance.now();
    seen = bytes;
  }
  return peak;
}
