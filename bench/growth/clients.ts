import type { Bench } from '../benchmark.js';
import { inTurn } from '../measure.js';
import { type Figure, ratioFigure } from '../report/figure.js';
import { serviceThroughput } from '../service/throughput.js';

const CLIENTS = [1, 2, 4, 8, 16, 32, 64];
const BESIDE = '8';

/** What more concurrent uploads gain and cost. */
export async function clients(bench: Bench): Promise<readonly Figure[]> {
  const measured = await inTurn(
    Math.min(2, bench.sizes.rounds),
    Object.fromEntries(
      CLIENTS.map((concurrency) => [
        String(concurrency),
        () => serviceThroughput(bench, { rowsPerKey: 1, concurrency }),
      ]),
    ),
    (name, round, rate) => {
      bench.say(`clients, round ${round + 1}, ${name}: ${Math.round(rate)} rows/s`);
    },
  );
  return CLIENTS.map((count) =>
    ratioFigure({
      name: `growth: ${count} clients at once`,
      unit: 'rows/s',
      ours: measured[String(count)]!,
      theirs: measured[BESIDE]!,
      beside: `${BESIDE} clients`,
    }),
  );
}
