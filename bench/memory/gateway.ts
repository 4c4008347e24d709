import type { Bench } from '../benchmark.js';
import type { FillerSpec } from '../load/filler-files.js';
import { atMost, type Figure, type Goal, notRun, valueFigure } from '../report/figure.js';
import { type LogName, stallableLog } from '../service/stallable-log.js';
import { memoryWhileStalled } from '../service/stalled-uploads.js';

const MIB = 1_048_576;
/** How many at once. The most that a gateway takes has no goal; on Kafka it refuses some of them. */
const CASES: readonly { logName: LogName; uploads: number; goal?: Goal }[] = [
  { logName: 'embedded', uploads: 200, goal: atMost(256) },
  { logName: 'Kafka', uploads: 200, goal: atMost(256) },
  { logName: 'embedded', uploads: 500 },
];
const FILE: FillerSpec = { family: 'self-serve', filler: true, bytes: MIB, gzip: false };

/** Resident memory of a gateway with many concurrent uploads while its log is stalled. */
export async function gatewayMemory(bench: Bench): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const { logName, uploads, goal } of CASES) {
    const name = `memory: a gateway, ${logName} log stalled, ${uploads} uploads of 1 MiB at once`;
    const log = await stallableLog(logName);
    if (log === undefined) {
      figures.push(notRun(name, 'no broker, or not root'));
      continue;
    }
    const values: number[] = [];
    try {
      for (let round = 0; round < bench.sizes.rounds; round++) {
        const { peak } = await memoryWhileStalled(bench, log, FILE, uploads);
        values.push(peak / MIB);
      }
    } finally {
      await log.close();
    }
    const note = 'all that is resident; the maximum counts';
    figures.push(
      valueFigure({ name, ...(goal && { goal }), isLimit: true, unit: 'MiB', values, note }),
    );
  }
  return figures;
}
