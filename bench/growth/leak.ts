import { setTimeout as sleep } from 'node:timers/promises';

import type { Bench } from '../benchmark.js';
import { anonymousBytes } from '../process/usage.js';
import { atMost, type Figure, ratioFigure } from '../report/figure.js';
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
/**
 * How many memory samples to take, with an upload step between them. The lowest counts: garbage in
 * V8 makes a difference of 30 MiB, and an idle service collects none.
 */
const LOOKS = 3;

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
    const lowestAt = async (uploads: number): Promise<number> => {
      while (sent < uploads) await upload();
      let lowest = Infinity;
      for (let look = 0; look < LOOKS; look++) {
        if (look > 0) await upload();
        await sleep(SETTLE_MS);
        lowest = Math.min(lowest, (await anonymousBytes(service.pid)) / MIB);
      }
      return lowest;
    };
    const before = await lowestAt(few);
    const after = await lowestAt(many);
    await service.requireTotals(kept);
    return [
      ratioFigure({
        name: `growth: memory after ${many} files, against after ${few}`,
        goal: atMost(1.1),
        unit: 'MiB',
        ours: [after],
        theirs: [before],
        beside: `after ${few}`,
        note: 'without pages of files',
      }),
    ];
  } finally {
    await service.kill();
  }
}
