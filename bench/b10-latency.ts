import type { Bench } from './benchmark.js';
import type { CostSpec } from './load/cost-files.js';
import type { Target } from './load/requests.js';
import { plus } from './load/totals.js';
import { quantile } from './measure.js';
import { atMost, type Figure, valueFigure } from './report/figure.js';
import { Service } from './service/service.js';
import {
  costLoad,
  FILE_ROWS,
  fullRate,
  SMALL_FILE_ROWS,
  warmUpLoad,
} from './service/throughput.js';

/** Five uploads a second: at this load no upload waits for another one. */
const EVERY_MS = 200;

/**
 * Latency from the first byte of a POST until a read says `succeeded`: of uploads one at a time, and
 * of the same while others come at half of the rate that the service can take.
 */
export async function b10(bench: Bench): Promise<readonly Figure[]> {
  const { sizes } = bench;
  const half = (await fullRate(bench)) / 2 / FILE_ROWS;
  const [low, busy] = [await rounds(bench, 0), await rounds(bench, half)];
  const note = `${2 * sizes.latencyUploads} uploads a round, half of ${SMALL_FILE_ROWS} rows, half of ${FILE_ROWS}`;
  const shared = { unit: 'ms', note };
  return [
    valueFigure({ ...shared, name: 'B10 POST to succeeded, p50', values: low.p50 }),
    valueFigure({
      ...shared,
      name: 'B10 POST to succeeded, p99',
      goal: atMost(100),
      values: low.p99,
    }),
    valueFigure({ ...shared, name: "B10 at half of B1's rate, p50", values: busy.p50 }),
    valueFigure({
      ...shared,
      name: "B10 at half of B1's rate, p99",
      goal: atMost(1_000),
      values: busy.p99,
      note: `${note}; ${half.toFixed(0)} other files a second`,
    }),
  ];
}

interface Quantiles {
  readonly p50: number[];
  readonly p99: number[];
}

/** @param filesPerSecond of other files at the same time */
async function rounds(bench: Bench, filesPerSecond: number): Promise<Quantiles> {
  const { generator, sizes } = bench;
  const service = await Service.start({ accounts: filesPerSecond === 0 ? 1 : sizes.accounts });
  try {
    const { target, tokens } = service;
    const warmUp = warmUpLoad(sizes.warmUpFiles, 1);
    let expected = (await generator.prepare(warmUp)).kept;
    await generator.program.call('upload', { target, load: warmUp, concurrency: 1 });
    // Not while it sends.
    await generator.prepare(costLoad(sizes.files, 1));
    const quantiles: Quantiles = { p50: [], p99: [] };
    for (let round = 0; round < sizes.rounds; round++) {
      const loads = [SMALL_FILE_ROWS, FILE_ROWS].map((rows, kind) => ({
        ...costLoad(sizes.latencyUploads, 5, round * 2 + kind),
        rows,
      }));
      for (const load of loads) {
        expected = plus(expected, (await generator.prepare(load)).kept);
      }
      const [took] = await Promise.all([
        trickle(bench, target, loads),
        filesPerSecond > 0 ? pace(bench, service, tokens, filesPerSecond) : undefined,
      ]);
      took.sort((a, b) => a - b);
      quantiles.p50.push(quantile(took, 0.5));
      quantiles.p99.push(quantile(took, 0.99));
      bench.say(`B10 round ${round + 1}: p50 ${quantiles.p50.at(-1)!.toFixed(0)} ms`);
    }
    if (filesPerSecond === 0) await service.requireTotals(expected);
    return quantiles;
  } finally {
    await service.kill();
  }
}

async function trickle(
  { generator }: Bench,
  target: Target,
  loads: readonly CostSpec[],
): Promise<number[]> {
  const took: number[] = [];
  for (const load of loads) {
    const order = { target, load, everyMs: EVERY_MS };
    took.push(...(await generator.program.call('trickle', order)));
  }
  return took;
}

async function pace(
  { generator, sizes }: Bench,
  { target }: Service,
  tokens: readonly string[],
  filesPerSecond: number,
): Promise<void> {
  const load = costLoad(sizes.files, 1);
  const seconds = (2 * sizes.latencyUploads * EVERY_MS) / 1_000;
  const reached = await generator.program.call('pace', {
    target,
    load,
    tokens,
    filesPerSecond,
    seconds,
  });
  if (reached < 0.95 * filesPerSecond) {
    throw new Error(`other files came at ${reached.toFixed(1)} a second, not ${filesPerSecond}`);
  }
}
