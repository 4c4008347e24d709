import { flatTableThroughput } from './baselines/flat-table-throughput.js';
import type { Bench } from './benchmark.js';
import type { Contest } from './full-load.js';
import { inTurn, type Rounds } from './measure.js';
import { atLeast, type Figure, ratioFigure } from './report/figure.js';
import { costLoad, serviceThroughput } from './service/throughput.js';

/**
 * Throughput from the first POST until the last row is visible, compared with ClickHouse that takes
 * the same bytes without HTTP, log, validation or overwrites.
 */
export function b1(bench: Bench): Contest {
  return {
    contestants: flatTables(bench, 1),
    figures: (measured, note) => figuresOf('all keys distinct', measured, note),
  };
}

/** The same with a load of its own. */
export async function b1FewKeys(bench: Bench): Promise<readonly Figure[]> {
  const keys = '5 rows a key';
  const ours = (): Promise<number> => serviceThroughput(bench, { rowsPerKey: 5 });
  const contestants = { ours, ...flatTables(bench, 5) };
  const measured = await inTurn(bench.sizes.rounds, contestants, (name, round, rate) => {
    bench.say(`B1 ${keys}, round ${round + 1}, ${name}: ${Math.round(rate)} rows/s`);
  });
  return figuresOf(keys, measured, bench.generator.usage());
}

function flatTables(bench: Bench, rowsPerKey: number): Contest['contestants'] {
  const load = costLoad(bench.sizes.files, rowsPerKey);
  return {
    each: () => flatTableThroughput(bench, load, 'insertFiles'),
    bulk: () => flatTableThroughput(bench, load, 'insertBulk'),
  };
}

function figuresOf(keys: string, measured: Rounds<string>, note: string): readonly Figure[] {
  const shared = { unit: 'rows/s', ours: measured['ours']!, beside: 'chDB', note };
  return [
    ratioFigure({
      ...shared,
      name: `B1 ${keys}, against one insert a file`,
      goal: atLeast(2),
      theirs: measured['each']!,
    }),
    ratioFigure({
      ...shared,
      name: `B1 ${keys}, against one bulk insert`,
      goal: atLeast(1.5),
      theirs: measured['bulk']!,
    }),
  ];
}
