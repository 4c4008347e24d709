import { rowStoreContract } from '../../engine/warehouse/store-contract.js';
import { NO_FAULTS } from '../../simulation/network.js';
import { Random } from '../../simulation/random.js';
import { SimulatedRowStore } from '../../simulation/row-store.js';
import { NOTHING_WRONG } from '../../simulation/settings.js';
import { actorNamed, REAL_TIME } from '../../simulation/time.js';
import { WarehouseServer } from '../../simulation/warehouse.js';

const network = {
  time: REAL_TIME,
  random: new Random('contract'),
  kill: () => undefined,
  trace: () => undefined,
  fault: () => undefined,
};

rowStoreContract('the simulated warehouse', () => {
  const server = new WarehouseServer(network, { faults: NO_FAULTS, delayMs: 0 }, NOTHING_WRONG);
  const store = new SimulatedRowStore(server, actorNamed('process'));
  return Promise.resolve({ store, requests: store, close: () => Promise.resolve() });
});
