import type { Bench } from '../benchmark.js';
import { inTurn } from '../measure.js';
import { type Figure, ratioFigure } from '../report/figure.js';
import { costLoad, FILE_ROWS, selfServeLoad } from '../service/throughput.js';
import { TRIED, type Tried } from './flat-columns.js';
import { flatTableThroughput } from './flat-table-throughput.js';

const COMPARED = [
  { name: 'one insert a file', family: 'cost', way: 'insertFiles' },
  { name: 'bulk inserts', family: 'cost', way: 'insertBulk' },
  { name: 'self-serve, one insert a file', family: 'self-serve', way: 'insertFiles' },
] as const;

/** The baselines of B1 and B1s with every setting that was tried. Both take the fastest. */
export async function baselines(bench: Bench): Promise<readonly Figure[]> {
  const { sizes } = bench;
  const loads = {
    cost: costLoad(sizes.files, 1),
    'self-serve': selfServeLoad(sizes.files, FILE_ROWS),
  };
  const figures: Figure[] = [];
  for (const { name, family, way } of COMPARED) {
    const tried = (Object.keys(TRIED) as Tried[]).filter(
      (each) => way === 'insertBulk' || !TRIED[each].isForBulk,
    );
    const rates = await inTurn(
      sizes.rounds,
      Object.fromEntries(
        tried.map((each) => [each, () => flatTableThroughput(bench, loads[family], way, each)]),
      ),
      (settings, round, rate) => {
        bench.say(`${name}, ${settings}, round ${round + 1}: ${Math.round(rate)} rows/s`);
      },
    );
    for (const each of tried) {
      figures.push(
        ratioFigure({
          name: `baseline: ${name}, ${each}`,
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
