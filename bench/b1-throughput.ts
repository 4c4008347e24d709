import { flatTableThroughput } from './baselines/flat-table-throughput.js';
import type { Bench } from './benchmark.js';
import { figuresOf, type Contest } from './full-load.js';
import { inTurn } from './measure.js';
import { atLeast, type Figure } from './report/figure.js';
import { costLoad, serviceThroughput } from './service/throughput.js';

/**
 * Throughput from the first POST until the last row is visible, compared with ClickHouse that takes
 * the same bytes without HTTP, log, validation or overwrites.
 */
export function b1(bench: Bench): Contest {
  return withFlatTables(bench, 1, 'all keys distinct');
}

/** The same with a load of its own. */
export async function b1FewKeys(bench: Bench): Promise<readonly Figure[]> {
  const keys = '5 rows a key';
  const contest = withFlatTables(bench, 5, keys);
  const ours = (): Promise<number> => serviceThroughput(bench, { rowsPerKey: 5 });
  const contestants = { ours, ...contest.contestants };
  const measured = await inTurn(bench.sizes.rounds, contestants, (name, round, rate) => {
    bench.say(`B1 ${keys}, round ${round + 1}, ${name}: ${Math.round(rate)} rows/s`);
  });
  return figuresOf(contest, measured, bench.generator.usage());
}

function withFlatTables(bench: Bench, rowsPerKey: number, keys: string): Contest {
  const load = costLoad(bench.sizes.files, rowsPerKey);
  const shared = { of: 'ours', beside: 'chDB' };
  return {
    contestants: {
      each: () => flatTableThroughput(bench, load, 'insertFiles'),
      bulk: () => flatTableThroughput(bench, load, 'insertBulk'),
    },
    matches: [
      {
        ...shared,
        name: `B1 ${keys}, against one insert a file`,
        goal: atLeast(2),
        with: 'each',
      },
      {
        ...shared,
        name: `B1 ${keys}, against one bulk insert`,
        goal: atLeast(1.5),
        with: 'bulk',
      },
    ],
  };
}
