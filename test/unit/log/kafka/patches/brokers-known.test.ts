import { expect, test } from '@jest/globals';
import Broker from 'kafkajs/src/broker/index.js';
import BrokerPool from 'kafkajs/src/cluster/brokerPool.js';

import { mendBrokers } from '../../../../../src/log/kafka/patches/brokers-known.js';
import { logger, silent } from './loopback.js';

mendBrokers();

interface Node {
  readonly nodeId: number;
  readonly host: string;
  readonly port: number;
}

const ONE: Node = { nodeId: 1, host: 'a', port: 1 };
const TWO: Node = { nodeId: 2, host: 'b', port: 2 };

/** What a connection pool of kafkajs tells. */
const connections = ({ host, port }: Omit<Node, 'nodeId'>) => ({
  host,
  port,
  connectionTimeout: 1_000,
  isConnected: () => true,
  destroy: () => Promise.resolve(),
});

function seed(pool: BrokerPool, node: Node): void {
  pool.seedBroker = new Broker({ connectionPool: connections(node), logger });
}

/** Refreshes the metadata. The brokers answer with `nodes`. */
function refresh(pool: BrokerPool, nodes: Promise<readonly Node[]>): Promise<void> {
  const metadata = async (): Promise<object> => ({ brokers: await nodes, topicMetadata: [] });
  pool.findConnectedBroker = () => Promise.resolve({ metadata } as unknown as Broker);
  return pool.refreshMetadata([]);
}

const brokersOf = ({ brokers }: BrokerPool) =>
  Object.entries(brokers).map(([id, { nodeId, connectionPool }]) => [
    Number(id),
    nodeId,
    connectionPool.port,
  ]);

function poolOf(): BrokerPool {
  const build = (place: Omit<Node, 'nodeId'> = TWO): Promise<unknown> =>
    Promise.resolve(connections(place));
  return new BrokerPool({ connectionPoolBuilder: { build }, logger });
}

test('a broker keeps its id when the first connection changes while metadata is on its way', async () => {
  const pool = poolOf();
  let answer!: (nodes: readonly Node[]) => void;
  seed(pool, TWO);
  const late = refresh(pool, new Promise((resolve) => (answer = resolve)));
  await Promise.resolve();
  seed(pool, ONE);
  await refresh(pool, Promise.resolve([ONE]));
  answer([ONE, TWO]);
  await late;
  await refresh(pool, Promise.resolve([ONE, TWO]));
  expect(brokersOf(pool)).toEqual([
    [1, 1, 1],
    [2, 2, 2],
  ]);
});

test('the last connection is not forgotten, so that metadata can be asked for', async () => {
  const pool = poolOf();
  seed(pool, ONE);
  await refresh(pool, Promise.resolve([ONE]));
  pool.removeBroker(ONE);
  expect(brokersOf(pool)).toEqual([]);
  await refresh(pool, Promise.resolve([ONE, TWO]));
  expect(brokersOf(pool)).toEqual([
    [1, 1, 1],
    [2, 2, 2],
  ]);
});

test('a broker is asked only once it is connected', async () => {
  const pool = poolOf();
  const connected: unknown[] = [];
  pool.connectBroker = (broker) => Promise.resolve(void connected.push(broker));
  seed(pool, ONE);
  const { seedBroker } = pool;
  seedBroker!.isConnected = () => true;
  expect(await pool.findConnectedBroker()).toBe(seedBroker);
  expect(connected).toEqual([seedBroker]);
});

test('a broker is connected once its versions are known', async () => {
  const connection = {
    getSupportAuthenticationProtocol: () => false,
    authenticate: () => Promise.resolve(),
  };
  const connectionPool = {
    ...connections(ONE),
    getConnection: () => Promise.resolve(connection),
    setVersions: silent,
  };
  const broker = new Broker({ connectionPool, logger, versions: {} });
  expect(broker.isConnected()).toBe(false);
  await broker.connect();
  expect(broker.isConnected()).toBe(true);
});
