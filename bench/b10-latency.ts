import type { Bench } from './benchmark.js';
import { plus } from './load/totals.js';
import { quantile } from './measure.js';
import { atMost, type Figure, valueFigure } from './report/figure.js';
import { Service } from './service/service.js';
import { costLoad, FILE_ROWS, SMALL_FILE_ROWS, warmUpLoad } from './service/throughput.js';

/** Five uploads a second: at this load no upload waits for another one. */
const EVERY_MS = 200;

/** Latency from the first byte of a POST until a read says `succeeded`, one upload at a time. */
export async function b10(bench: Bench): Promise<readonly Figure[]> {
  const { generator, sizes } = bench;
  const service = await Service.start();
  try {
    const { target } = service;
    const warmUp = warmUpLoad(sizes.warmUpFiles, 1);
    let expected = (await generator.prepare(warmUp)).kept;
    await generator.program.call('upload', { target, load: warmUp, concurrency: 1 });
    const p50: number[] = [];
    const p99: number[] = [];
    for (let round = 0; round < sizes.rounds; round++) {
      const took: number[] = [];
      for (const [kind, rows] of [SMALL_FILE_ROWS, FILE_ROWS].entries()) {
        const load = { ...costLoad(sizes.latencyUploads, 5, round * 2 + kind), rows };
        expected = plus(expected, (await generator.prepare(load)).kept);
        const trickle = { target, load, everyMs: EVERY_MS };
        took.push(...(await generator.program.call('trickle', trickle)));
      }
      took.sort((a, b) => a - b);
      p50.push(quantile(took, 0.5));
      p99.push(quantile(took, 0.99));
      bench.say(`B10 round ${round + 1}: p50 ${p50.at(-1)!.toFixed(0)} ms`);
    }
    await service.requireTotals(expected);
    const note = `${2 * sizes.latencyUploads} uploads a round, half of ${SMALL_FILE_ROWS} rows, half of ${FILE_ROWS}`;
    return [
      valueFigure({
        name: 'B10 POST to succeeded, p50',
        goal: atMost(300),
        unit: 'ms',
        values: p50,
        note,
      }),
      valueFigure({
        name: 'B10 POST to succeeded, p99',
        goal: atMost(1000),
        unit: 'ms',
        values: p99,
        note,
      }),
    ];
  } finally {
    await service.kill();
  }
}
