import type { Bench } from '../benchmark.js';
import type { FillerSpec } from '../load/filler-files.js';
import { atMost, type Figure, valueFigure } from '../report/figure.js';
import { memoryWhileStalled } from '../service/stalled-uploads.js';

const MIB = 1_048_576;
const UPLOADS = 200;
const FILE: FillerSpec = { family: 'self-serve', filler: true, bytes: MIB, gzip: false };

/** Resident memory of a gateway with many concurrent uploads while its log is stalled. */
export async function gatewayMemory(bench: Bench): Promise<readonly Figure[]> {
  const values: number[] = [];
  for (let round = 0; round < bench.sizes.rounds; round++) {
    const { peak } = await memoryWhileStalled(bench, FILE, UPLOADS);
    values.push(peak / MIB);
  }
  return [
    valueFigure({
      name: `memory: a gateway, ${UPLOADS} uploads of 1 MiB at once, log stalled`,
      goal: atMost(256),
      unit: 'MiB',
      values,
      note: 'all that is resident',
    }),
  ];
}
