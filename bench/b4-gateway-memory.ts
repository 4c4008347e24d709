import type { Bench } from './benchmark.js';
import type { FillerSpec } from './load/filler-files.js';
import { atMost, type Figure, valueFigure } from './report/figure.js';
import { memoryWhileStalled } from './service/stalled-uploads.js';

const MIB = 1_048_576;
const UPLOADS = 64;
const FILES: readonly (readonly [name: string, file: FillerSpec])[] = [
  ['1 MiB', { family: 'self-serve', filler: true, bytes: MIB, gzip: false }],
  ['gzip of 32 MiB', { family: 'self-serve', filler: true, bytes: 32 * MIB, gzip: true }],
];

/** How much the gateway's process grows while its log is stalled. */
export async function b4(bench: Bench): Promise<readonly Figure[]> {
  const grown = FILES.map(() => [] as number[]);
  for (let round = 0; round < bench.sizes.rounds; round++) {
    for (const [at, [name, file]] of FILES.entries()) {
      const { before, peak } = await memoryWhileStalled(bench, file, UPLOADS);
      grown[at]!.push((peak - before) / MIB);
      bench.say(`B4 round ${round + 1}, ${name}: ${((peak - before) / MIB).toFixed(0)} MiB`);
    }
  }
  return FILES.map(([name], at) =>
    valueFigure({
      name: `B4 gateway growth, ${UPLOADS} uploads of ${name}, log stalled`,
      goal: atMost(64),
      unit: 'MiB',
      values: grown[at]!,
      note: 'resident memory above that before',
    }),
  );
}
