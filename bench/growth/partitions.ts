import type { Bench } from '../benchmark.js';
import { Broker } from '../kafka/broker.js';
import { type Figure, notRun, valueFigure } from '../report/figure.js';
import { serviceThroughput } from '../service/throughput.js';

const PARTITIONS = [1, 2, 4, 8];
const NAME = 'growth: partitions';

/** What more partitions gain for one process. Needs a broker: the embedded log has only one. */
export async function partitions(bench: Bench): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const count of PARTITIONS) {
    // A topic keeps its number of partitions, so each number needs its own broker.
    const broker = await Broker.start();
    if (broker === undefined) return [notRun(NAME, 'no broker (that takes Java and Maven)')];
    try {
      const values: number[] = [];
      for (let round = 0; round < Math.min(2, bench.sizes.rounds); round++) {
        const env = { KAFKA_BROKERS: broker.address, KAFKA_PARTITIONS: String(count) };
        const account = `bench-${round}`;
        const options = { rowsPerKey: 1, env, account, stopsCleanly: true };
        values.push(await serviceThroughput(bench, options));
      }
      bench.say(`${count} partitions: ${Math.round(values[0]!)} rows/s`);
      figures.push(valueFigure({ name: `${NAME}, ${count}`, unit: 'rows/s', values }));
    } finally {
      await broker.stop();
    }
  }
  return figures;
}
