import type { Bench } from './benchmark.js';
import { inTurn, type Rounds, spreadOf } from './measure.js';
import { type Figure, type Goal, ratioFigure } from './report/figure.js';
import { rememberFullRate, serviceThroughput } from './service/throughput.js';

type Measure = () => Promise<number>;

/** What takes the full load, files of distinct keys, beside the service. */
export interface Contest {
  /** Rows a second of each contestant. No two contests have one of the same name. */
  readonly contestants: Readonly<Record<string, Measure>>;
  readonly matches: readonly Match[];
  /** What it shows besides. */
  readonly more?: () => Promise<readonly Figure[]>;
}

/** One contestant against another; the service with the embedded log is `ours`. */
interface Match {
  readonly name: string;
  readonly goal: Goal;
  readonly of: string;
  readonly with: string;
  /** What the other one is called in the table. */
  readonly beside: string;
}

/** @param note what the generator took */
export function figuresOf(
  { matches }: Pick<Contest, 'matches'>,
  measured: Rounds<string>,
  note: string,
): Figure[] {
  return matches.map((each) =>
    ratioFigure({
      ...each,
      unit: 'rows/s',
      ours: measured[each.of]!,
      theirs: measured[each.with]!,
      note,
    }),
  );
}

/**
 * Measures all contestants in turn, so that the service takes the load once a round for all of them.
 *
 * @param contests by the name of their benchmark
 * @param fails called with what a contest throws; the figures of the others are still measured
 */
export async function fullLoad(
  bench: Bench,
  contests: ReadonlyMap<string, (bench: Bench) => Contest | Promise<Contest>>,
  fails: (name: string, error: unknown) => void,
): Promise<readonly Figure[]> {
  const ours: Measure = () => serviceThroughput(bench, { rowsPerKey: 1 });
  const started = new Map<string, Contest>();
  const contestants: Record<string, Measure> = { ours };
  const attempt = async <T>(name: string, work: () => Promise<T> | T): Promise<T | undefined> => {
    try {
      return await work();
    } catch (error) {
      started.delete(name);
      fails(name, error);
      return undefined;
    }
  };
  for (const [name, start] of contests) {
    const contest = await attempt(name, () => start(bench));
    if (contest === undefined) continue;
    started.set(name, contest);
    for (const [contestant, measure] of Object.entries(contest.contestants)) {
      if (contestant in contestants) throw new Error(`there are two contestants ${contestant}`);
      contestants[contestant] = async () =>
        (started.has(name) ? await attempt(name, measure) : undefined) ?? NaN;
    }
  }
  const measured = await inTurn(bench.sizes.rounds, contestants, (name, round, rate) => {
    bench.say(`full load, round ${round + 1}, ${name}: ${Math.round(rate)} rows/s`);
  });
  rememberFullRate(spreadOf(measured['ours']!).median);
  const note = bench.generator.usage();
  const figures: Figure[] = [];
  for (const [name, contest] of [...started]) {
    figures.push(...figuresOf(contest, measured, note));
    figures.push(...((await attempt(name, () => contest.more?.() ?? [])) ?? []));
  }
  return figures;
}
