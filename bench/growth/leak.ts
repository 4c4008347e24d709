import { setTimeout as sleep } from 'node:timers/promises';

import type { Bench } from '../benchmark.js';
import { spreadOf } from '../measure.js';
import { anonymousBytes, residentBytes } from '../process/usage.js';
import { atMost, type Figure, type Goal, ratioFigure } from '../report/figure.js';
import { Service } from '../service/service.js';
import { costLoad } from '../service/throughput.js';

const MIB = 1_048_576;
const CONCURRENCY = 8;
/** Files per step. The same files repeat, so that only memory can grow. */
const STEP_FILES = 20;
/**
 * Time for merges to end and for the engine to return their memory, which takes some ten seconds.
 * After 3 s the same service held 305, 430 and 352 MiB, after 18 s 304, 291 and 277 MiB.
 */
const SETTLE_MS = 20_000;
/** How many memory samples to take, with an upload step between them. */
const LOOKS = 3;

interface Memory {
  readonly resident: number;
  /** Without pages of files, which the system takes back when it needs them. */
  readonly anonymous: number;
}

/** Whether memory grows with the number of files that a service has accepted. */
export async function leak(bench: Bench): Promise<readonly Figure[]> {
  const { generator, sizes } = bench;
  const [few, many] = sizes.leakUploads;
  const load = costLoad(Math.min(STEP_FILES, few), 5);
  const { kept } = await generator.prepare(load);
  const service = await Service.start();
  try {
    const { target } = service;
    let sent = 0;
    const upload = async (): Promise<void> => {
      await generator.program.call('upload', { target, load, concurrency: CONCURRENCY });
      sent += load.files;
    };
    const memoryAfter = async (uploads: number): Promise<Memory[]> => {
      while (sent < uploads) await upload();
      const looks: Memory[] = [];
      for (let look = 0; look < LOOKS; look++) {
        if (look > 0) await upload();
        await sleep(SETTLE_MS);
        looks.push({
          resident: (await residentBytes(service.pid)) / MIB,
          anonymous: (await anonymousBytes(service.pid)) / MIB,
        });
      }
      return looks;
    };
    const before = await memoryAfter(few);
    const after = await memoryAfter(many);
    await service.requireTotals(kept);
    const figure = (name: string, kind: keyof Memory, goal?: Goal): Figure =>
      ratioFigure({
        name: `growth: ${name} after ${many} files, against after ${few}`,
        ...(goal && { goal }),
        unit: 'MiB',
        // The most memory, against the median of what it was.
        ours: [spreadOf(after.map((look) => look[kind])).max],
        theirs: [spreadOf(before.map((look) => look[kind])).median],
        beside: `after ${few}`,
      });
    return [
      figure('resident memory', 'resident', atMost(1.1)),
      figure('memory without pages of files', 'anonymous'),
    ];
  } finally {
    await service.kill();
  }
}
