import type { Bench } from './benchmark.js';
import { inTurn } from './measure.js';
import { atLeast, type Figure, ratioFigure } from './report/figure.js';
import { storedRows } from './service/stored-rows.js';
import { serviceThroughput } from './service/throughput.js';

/** Whether stored rows slow down new ones: a warehouse with rows, compared with an empty one. */
export async function b8(bench: Bench): Promise<readonly Figure[]> {
  const { folder, rows, totals } = await storedRows(bench);
  const { full, empty } = await inTurn(
    bench.sizes.rounds,
    {
      full: () => serviceThroughput(bench, { rowsPerKey: 1, stored: folder, before: totals }),
      empty: () => serviceThroughput(bench, { rowsPerKey: 1 }),
    },
    (name, round, rate) => {
      bench.say(`B8 round ${round + 1}, ${name}: ${Math.round(rate)} rows/s`);
    },
  );
  return [
    ratioFigure({
      name: `B8 with ${rows} rows stored, against none`,
      goal: atLeast(0.8),
      unit: 'rows/s',
      ours: full,
      theirs: empty,
      beside: 'empty',
      note: bench.generator.usage(),
    }),
  ];
}
