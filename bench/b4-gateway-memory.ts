import type { Bench } from './benchmark.js';
import type { FillerSpec } from './load/filler-files.js';
import { atMost, type Figure, notRun, valueFigure } from './report/figure.js';
import { type LogName, LOGS, stallableLog } from './service/stallable-log.js';
import { memoryWhileStalled } from './service/stalled-uploads.js';

const MIB = 1_048_576;
const FILES: readonly (readonly [name: string, file: FillerSpec])[] = [
  ['1 MiB', { family: 'self-serve', filler: true, bytes: MIB, gzip: false }],
  ['gzip of 32 MiB', { family: 'self-serve', filler: true, bytes: 32 * MIB, gzip: true }],
];

/** How much the gateway's process grows while its log is stalled. */
export async function b4(bench: Bench): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const name of LOGS) figures.push(...(await growth(bench, name)));
  return figures;
}

async function growth(bench: Bench, logName: LogName): Promise<readonly Figure[]> {
  const log = await stallableLog(logName);
  if (log === undefined) return [notRun(`B4 gateway growth, ${logName}`, 'no broker, or not root')];
  const grown = FILES.map(() => [] as number[]);
  try {
    for (let round = 0; round < bench.sizes.rounds; round++) {
      for (const [at, [name, file]] of FILES.entries()) {
        const { before, peak } = await memoryWhileStalled(
          bench,
          log,
          file,
          bench.sizes.stalledUploads,
        );
        const mib = (peak - before) / MIB;
        grown[at]!.push(mib);
        bench.say(`B4 round ${round + 1}, ${logName}, ${name}: ${mib.toFixed(0)} MiB`);
      }
    }
  } finally {
    await log.close();
  }
  return FILES.map(([name], at) =>
    valueFigure({
      name: `B4 gateway growth, ${logName} log stalled, ${bench.sizes.stalledUploads} uploads of ${name}`,
      goal: atMost(64),
      isLimit: true,
      unit: 'MiB',
      values: grown[at]!,
      note: 'resident memory above that before; the maximum counts',
    }),
  );
}
