import type { Bench } from './benchmark.js';
import type { Contest } from './full-load.js';
import { Broker } from './kafka/broker.js';
import { atLeast, notRun, ratioFigure } from './report/figure.js';
import { serviceThroughput } from './service/throughput.js';

const NAME = 'B3 on Kafka, against the embedded log';

/** The same measurement as B1, with a broker on the same cores instead of the embedded log. */
export function b3(bench: Bench): Contest {
  let isMissing = false;
  /** With a broker of its own, which is not there while others are measured. */
  const kafka = async (): Promise<number> => {
    const broker = await Broker.start();
    isMissing = broker === undefined;
    if (broker === undefined) return NaN;
    try {
      const env = { KAFKA_BROKERS: broker.address };
      return await serviceThroughput(bench, { rowsPerKey: 1, env });
    } finally {
      await broker.stop();
    }
  };
  return {
    contestants: { kafka },
    figures: (measured, note) =>
      isMissing
        ? [notRun(NAME, 'no broker (that takes Java and Maven)')]
        : [
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
  };
}
