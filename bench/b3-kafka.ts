import type { Bench } from './benchmark.js';
import type { Contest } from './full-load.js';
import { Broker } from './kafka/broker.js';
import { atLeast, notRun } from './report/figure.js';
import { serviceThroughput } from './service/throughput.js';

const NAME = 'B3 on Kafka, against the embedded log';

/** The same measurement as B1, with a broker on the same cores instead of the embedded log. */
export async function b3(bench: Bench): Promise<Contest> {
  const first = await Broker.start();
  await first?.stop();
  if (first === undefined) {
    const figures = [notRun(NAME, 'no broker (that takes Java and Maven)')];
    return { contestants: {}, matches: [], more: () => Promise.resolve(figures) };
  }
  /** With a broker of its own, which is not there while others are measured. */
  const kafka = async (): Promise<number> => {
    const broker = (await Broker.start())!;
    try {
      const env = { KAFKA_BROKERS: broker.address };
      return await serviceThroughput(bench, { rowsPerKey: 1, env });
    } finally {
      await broker.stop();
    }
  };
  return {
    contestants: { kafka },
    matches: [{ name: NAME, goal: atLeast(0.6), of: 'kafka', with: 'ours', beside: 'embedded' }],
  };
}
