import { describe } from '@jest/globals';

import { behavesAsThePortSays } from '../../support/log/contract.js';
import { Broker } from '../../simulation/log/broker.js';
import { SimulatedLog } from '../../simulation/log/simulated-log.js';
import { NO_FAULTS } from '../../simulation/network.js';
import { Random } from '../../simulation/random.js';
import { actorNamed, REAL_TIME } from '../../simulation/time.js';

const network = {
  time: REAL_TIME,
  random: new Random('contract'),
  kill: () => undefined,
  trace: () => undefined,
  fault: () => undefined,
};

describe('the simulated log', () => {
  const logs: SimulatedLog[] = [];
  behavesAsThePortSays({
    retentionMs: 60_000,
    open: (uploads) => {
      const partitions = { uploads, status: 2 };
      const options = {
        partitions,
        sessionMs: 6_000,
        retentionMs: 60_001,
        faults: NO_FAULTS,
        delayMs: 0,
      };
      const log = new SimulatedLog(new Broker(network, options), actorNamed('process'), 10_000);
      logs.push(log);
      return Promise.resolve(log);
    },
    cleanUp: async () => {
      await Promise.all(logs.splice(0).map((log) => log.close()));
    },
  });
});
