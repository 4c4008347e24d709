import { setTimeout as sleep } from 'node:timers/promises';

import { inTime } from '../../src/domain/in-time.js';
import { V8_OPTIONS } from '../../test/support/service/service-process.js';
import type { Bench } from '../benchmark.js';
import type { FillerSpec } from '../load/filler-files.js';
import { Child } from '../process/child.js';
import { forgetPeak, mostResidentBytes, residentBytes } from '../process/usage.js';
import type { GatewayCommands } from '../programs/gateway.js';
import type { StallableLog } from './stallable-log.js';

const SAMPLE_MS = 25;
/** Less than this is no growth. */
const GROWTH_BYTES = 1_048_576;
/** After so long without growth the gateway has taken all that it takes without its log. */
const QUIET_MS = 1_500;
const ANSWER_MS = 1_000;
/** Few, because memory that they leave behind would hide some of the growth. */
const WARM_UP_UPLOADS = 2;
/** No request may time out while the log is stalled. */
const PATIENT = { LOG_TIMEOUT_SECONDS: '60', UPLOAD_DEADLINE_SECONDS: '300' };

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
  log: StallableLog,
  load: FillerSpec,
  uploads: number,
): Promise<StalledMemory> {
  await generator.prepare(load);
  const gateway = Child.start<GatewayCommands>('programs/gateway', {
    execArgv: [...V8_OPTIONS, '--expose-gc'],
  });
  try {
    const { folder, env } = log.options;
    const target = await gateway.call('start', { folder, env: { ...env, ...PATIENT } });
    let isAnswered = false;
    const post = async (count: number): Promise<void> => {
      const tokens = Array<string>(count).fill(target.token);
      await generator.program.call('post', { target, load, concurrency: count, tokens });
      isAnswered = true;
    };
    await post(WARM_UP_UPLOADS);
    await gateway.call('collect');
    log.stall();
    await forgetPeak(gateway.pid);
    const before = await residentBytes(gateway.pid);
    isAnswered = false;
    const [peak] = await Promise.all([
      quiet(gateway, before)
        .then(() => {
          if (isAnswered) throw new Error('uploads were answered while the log was stalled');
          return mostResidentBytes(gateway.pid);
        })
        .finally(() => {
          log.resume();
        }),
      post(uploads),
    ]);
    const found = await gateway.call('bytes');
    const expected = (WARM_UP_UPLOADS + uploads) * load.bytes;
    if (found !== expected) throw new Error(`the log has ${found} bytes, ${expected} were sent`);
    return { before, peak };
  } finally {
    log.resume();
    await gateway.end();
  }
}

/**
 * Resolves when the gateway's memory has stopped to grow.
 *
 * @throws Error when the gateway itself stands still, not only its log
 */
async function quiet(gateway: Child<GatewayCommands>, before: number): Promise<void> {
  let seen = before;
  let grownAt = performance.now();
  while (performance.now() - grownAt < QUIET_MS) {
    await sleep(SAMPLE_MS);
    await inTime(gateway.call('ping'), ANSWER_MS, () => {
      throw new Error('the gateway stands still, not only its log');
    });
    const bytes = await residentBytes(gateway.pid);
    if (bytes > seen + GROWTH_BYTES) {
      seen = bytes;
      grownAt = performance.now();
    }
  }
}
