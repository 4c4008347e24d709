import type { Bench } from './benchmark.js';
import { inTurn, type Rounds, spreadOf } from './measure.js';
import type { Figure } from './report/figure.js';
import { rememberFullRate, serviceThroughput } from './service/throughput.js';

/** What takes the full load, files of distinct keys, beside the service. */
export interface Contest {
  /** Rows a second of each contestant. No two contests have one of the same name. */
  readonly contestants: Readonly<Record<string, () => Promise<number>>>;
  /** @param measured its contestants, and the service with the embedded log as `ours` */
  readonly figures: (
    measured: Rounds<string>,
    note: string,
  ) => readonly Figure[] | Promise<readonly Figure[]>;
  readonly end?: () => Promise<void>;
}

/** Measures all contestants in turn, so that the service takes the load once a round for all of them. */
export async function fullLoad(
  bench: Bench,
  contests: readonly ((bench: Bench) => Contest | Promise<Contest>)[],
): Promise<readonly Figure[]> {
  const started: Contest[] = [];
  try {
    for (const start of contests) started.push(await start(bench));
    const ours = (): Promise<number> => serviceThroughput(bench, { rowsPerKey: 1 });
    const contestants = Object.assign(
      { ours },
      ...started.map((each) => each.contestants),
    ) as Record<string, () => Promise<number>>;
    const measured = await inTurn(bench.sizes.rounds, contestants, (name, round, rate) => {
      bench.say(`full load, round ${round + 1}, ${name}: ${Math.round(rate)} rows/s`);
    });
    rememberFullRate(spreadOf(measured['ours']!).median);
    const note = bench.generator.usage();
    const figures: Figure[] = [];
    for (const contest of started) figures.push(...(await contest.figures(measured, note)));
    return figures;
  } finally {
    for (const contest of started) await contest.end?.();
  }
}
