import type { Bench } from '../benchmark.js';
import { inTurn } from '../measure.js';
import { type Figure, ratioFigure } from '../report/figure.js';
import { costLoad } from '../service/throughput.js';
import { TRIED, type Tried } from './flat-columns.js';
import { flatTableThroughput } from './flat-table-throughput.js';

const WAYS = { insertFiles: 'one insert a file', insertBulk: 'bulk inserts' } as const;

/** B1's baselines with every setting that was tried. B1 takes the fastest. */
export async function baselines(bench: Bench): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const way of ['insertFiles', 'insertBulk'] as const) {
    const tried = (Object.keys(TRIED) as Tried[]).filter(
      (each) => way === 'insertBulk' || !TRIED[each].isForBulk,
    );
    const rates = await inTurn(
      bench.sizes.rounds,
      Object.fromEntries(
        tried.map((each) => [
          each,
          () => flatTableThroughput(bench, costLoad(bench.sizes.files, 1), way, each),
        ]),
      ),
      (name, round, rate) => {
        bench.say(`${WAYS[way]}, ${name}, round ${round + 1}: ${Math.round(rate)} rows/s`);
      },
    );
    for (const each of tried) {
      figures.push(
        ratioFigure({
          name: `baseline: ${WAYS[way]}, ${each}`,
          unit: 'rows/s',
          ours: rates[each]!,
          theirs: rates['plain']!,
          beside: 'plain',
        }),
      );
    }
  }
  return figures;
}
