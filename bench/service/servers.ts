import { ClickHouseWarehouse } from '../../src/warehouse/clickhouse/clickhouse-warehouse.js';
import { migrate } from '../../src/warehouse/schema/migrate.js';
import { Broker } from '../kafka/broker.js';
import { Child } from '../process/child.js';
import { makeFolder, removeFolder } from '../process/cleanup.js';
import type { ClickHouseServerCommands } from '../programs/clickhouse-server.js';

const DATABASE = 'custom_data';
const MIGRATION_MS = 20_000;

/**
 * The servers of the scaled-out service: Kafka, and the tests' ClickHouse server with the schema.
 */
export class Servers {
  private constructor(
    readonly broker: Broker,
    readonly clickhouse: Child<ClickHouseServerCommands>,
    private readonly folder: string,
    /** Environment variables for every process of the service. */
    readonly env: Readonly<Record<string, string>>,
  ) {}

  /** Undefined where no broker can be started. */
  static async start(): Promise<Servers | undefined> {
    const broker = await Broker.start();
    if (broker === undefined) return undefined;
    const folder = await makeFolder();
    const clickhouse = Child.start<ClickHouseServerCommands>('programs/clickhouse-server');
    const address = await clickhouse.call('start', { folder });
    const warehouse = new ClickHouseWarehouse({
      url: address['CLICKHOUSE_URL']!,
      user: address['CLICKHOUSE_USER']!,
      password: address['CLICKHOUSE_PASSWORD']!,
      tls: {},
      compression: 'none',
      insertQuorum: undefined,
      timeoutMs: MIGRATION_MS,
      database: DATABASE,
    });
    await migrate(warehouse, DATABASE);
    await warehouse.close();
    return new Servers(broker, clickhouse, folder, {
      ...address,
      KAFKA_BROKERS: broker.address,
    });
  }

  /** Rows of a query on the warehouse. */
  async query<Row>(sql: string): Promise<Row[]> {
    const text = await this.clickhouse.call('query', sql);
    const lines = text.split('\n').filter((line) => line !== '');
    return lines.map((line) => JSON.parse(line) as Row);
  }

  async stop(): Promise<void> {
    await this.clickhouse.end();
    await removeFolder(this.folder);
    await this.broker.stop();
  }
}
