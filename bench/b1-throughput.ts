import { flatTableThroughput } from './baselines/flat-table-throughput.js';
import type { Bench } from './benchmark.js';
import { inTurn, spreadOf } from './measure.js';
import { atLeast, type Figure, ratioFigure } from './report/figure.js';
import { costLoad, rememberFullRate, serviceThroughput } from './service/throughput.js';

/**
 * Throughput from the first POST until the last row is visible, compared with ClickHouse that takes
 * the same bytes without HTTP, log, validation or overwrites.
 */
export async function b1(bench: Bench): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const rowsPerKey of [1, 5]) {
    const keys = rowsPerKey === 1 ? 'all keys distinct' : `${rowsPerKey} rows a key`;
    const { ours, each, bulk } = await inTurn(
      bench.sizes.rounds,
      {
        ours: () => serviceThroughput(bench, { rowsPerKey }),
        each: () =>
          flatTableThroughput(bench, costLoad(bench.sizes.files, rowsPerKey), 'insertFiles'),
        bulk: () =>
          flatTableThroughput(bench, costLoad(bench.sizes.files, rowsPerKey), 'insertBulk'),
      },
      (name, round, rate) => {
        bench.say(`B1 ${keys}, round ${round + 1}, ${name}: ${Math.round(rate)} rows/s`);
      },
    );
    if (rowsPerKey === 1) rememberFullRate(spreadOf(ours).median);
    const note = bench.generator.usage();
    const shared = { unit: 'rows/s', ours, note };
    figures.push(
      ratioFigure({
        ...shared,
        name: `B1 ${keys}, against one insert a file`,
        goal: atLeast(2),
        theirs: each,
        beside: 'chDB',
      }),
      ratioFigure({
        ...shared,
        name: `B1 ${keys}, against one bulk insert`,
        goal: atLeast(1.5),
        theirs: bulk,
        beside: 'chDB',
      }),
    );
  }
  return figures;
}
