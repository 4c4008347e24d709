import { randomInt } from 'node:crypto';

import { afterAll, beforeAll, test } from '@jest/globals';

import { describeWithBroker } from '../../../support/kafka/describe-with-broker.js';
import { seededRandom } from '../../../support/model/seeded-random.js';
import { countFault, IS_SOAK } from '../../../support/service/soak.js';
import { ThreeBrokers } from '../../../support/service/three-brokers.js';
import { FAULTS } from './faults.js';

/** The whole service on three brokers that stop, die, hang or change their leaders. */

const TIMES = IS_SOAK ? 5 : 1;
/** The machine may be busy with other tests. */
const FAULT_MS = 600_000;

describeWithBroker('of three brokers', () => {
  let rig: ThreeBrokers;
  beforeAll(async () => {
    rig = await ThreeBrokers.start();
  });
  afterAll(() => rig.stop(), 120_000);

  test.each(inOrder(Object.entries(FAULTS)))(
    '%s: uploads go on by themselves, and none is lost',
    async (name, fault) => {
      await rig
        .underLoad(async () => {
          await fault(rig);
          countFault(`three brokers: ${name}`);
        })
        .catch(async (error: unknown) => {
          const { stack } = error as Error;
          throw new Error(`${stack}\n${await rig.lastWords()}`, { cause: error });
        });
    },
    FAULT_MS,
  );
});

/** The soak runs each fault several times, in a random order from a seed. */
function inOrder<T>(faults: readonly T[]): T[] {
  if (!IS_SOAK) return [...faults];
  const seed = Number(process.env['BROKER_FAULTS_SEED'] ?? randomInt(2 ** 31));
  process.stderr.write(`faults of three brokers: BROKER_FAULTS_SEED=${seed}\n`);
  const random = seededRandom(seed);
  return Array.from({ length: TIMES }, () => faults)
    .flat()
    .map((fault) => ({ fault, place: random() }))
    .sort((a, b) => a.place - b.place)
    .map(({ fault }) => fault);
}
