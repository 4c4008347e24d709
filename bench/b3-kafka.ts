import type { Bench } from './benchmark.js';
import type { Contest } from './full-load.js';
import { Broker } from './kafka/broker.js';
import { atLeast, notRun, ratioFigure } from './report/figure.js';
import { serviceThroughput } from './service/throughput.js';

const NAME = 'B3 on Kafka, against the embedded log';

/** The same measurement as B1, with a broker on the same cores instead of the embedded log. */
export async function b3(bench: Bench): Promise<Contest> {
  const broker = await Broker.start();
  if (broker === undefined) {
    const figures = [notRun(NAME, 'no broker (that takes Java and Maven)')];
    return { contestants: {}, figures: () => figures };
  }
  let services = 0;
  return {
    contestants: {
      kafka: () =>
        serviceThroughput(bench, {
          rowsPerKey: 1,
          env: { KAFKA_BROKERS: broker.address },
          // Topics outlive a service: each one uses its own account and leaves its group cleanly.
          account: `bench-${services++}`,
          stopsCleanly: true,
        }),
    },
    figures: (measured, note) => [
      ratioFigure({
        name: NAME,
        goal: atLeast(0.6),
        unit: 'rows/s',
        ours: measured['kafka']!,
        theirs: measured['ours']!,
        beside: 'embedded',
        note,
      }),
    ],
    end: () => broker.stop(),
  };
}
