import type { Bench } from './benchmark.js';
import { Broker } from './kafka/broker.js';
import { inTurn } from './measure.js';
import { atLeast, type Figure, notRun, ratioFigure } from './report/figure.js';
import { serviceThroughput } from './service/throughput.js';

const NAME = 'B3 on Kafka, against the embedded log';

/** The same measurement as B1, with a broker on the same cores instead of the embedded log. */
export async function b3(bench: Bench): Promise<readonly Figure[]> {
  const broker = await Broker.start();
  if (broker === undefined) return [notRun(NAME, 'no broker (that takes Java and Maven)')];
  let services = 0;
  try {
    const kafka = (): Promise<number> =>
      serviceThroughput(bench, {
        rowsPerKey: 1,
        env: { KAFKA_BROKERS: broker.address },
        // Topics outlive a service: each one uses its own account and leaves its group cleanly.
        account: `bench-${services++}`,
        stopsCleanly: true,
      });
    const embedded = (): Promise<number> => serviceThroughput(bench, { rowsPerKey: 1 });
    const measured = await inTurn(bench.sizes.rounds, { kafka, embedded }, (name, round, rate) => {
      bench.say(`B3 round ${round + 1}, ${name}: ${Math.round(rate)} rows/s`);
    });
    return [
      ratioFigure({
        name: NAME,
        goal: atLeast(0.6),
        unit: 'rows/s',
        ours: measured.kafka,
        theirs: measured.embedded,
        beside: 'embedded',
        note: bench.generator.usage(),
      }),
    ];
  } finally {
    await broker.stop();
  }
}
