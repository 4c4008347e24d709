import { migrate } from '../../src/warehouse/schema/migrate.js';
import { ClickHouseHttp } from './clickhouse-http.js';
import { canStartBroker, KafkaBroker } from './kafka-broker.js';
import { makeDataDir, removeDataDir, ServiceProcess } from './service-process.js';
import { connectTo, type WarehouseKind } from './warehouses.js';

/** What a service stands on. */
export interface DeploymentKind {
  readonly log: 'lmdb' | 'kafka';
  readonly warehouse: WarehouseKind;
}

/** Every combination, for `describe.each`. */
export const DEPLOYMENTS: readonly DeploymentKind[] = [
  { log: 'lmdb', warehouse: 'chdb' },
  { log: 'lmdb', warehouse: 'clickhouse' },
  // Where no broker can be started, the tests of the Kafka adapter say so.
  ...(canStartBroker()
    ? ([
        { log: 'kafka', warehouse: 'chdb' },
        { log: 'kafka', warehouse: 'clickhouse' },
      ] as const)
    : []),
];

/** A data folder, the servers that the service needs, and the service on them. */
export class Deployment {
  /** The process that was started last. */
  service!: ServiceProcess;

  private constructor(
    readonly dataDir: string,
    /** Undefined: the warehouse is in the service's process. */
    readonly clickhouse: ClickHouseHttp | undefined,
    /** Undefined: the log is in the service's process. */
    readonly broker: KafkaBroker | undefined,
  ) {}

  /** The servers run, with the schema; the service does not yet. */
  static async open({ log, warehouse }: DeploymentKind): Promise<Deployment> {
    const dataDir = await makeDataDir();
    // Of its own: a service has its topics under their real names.
    const broker = log === 'kafka' ? await KafkaBroker.start() : undefined;
    if (warehouse === 'chdb') return new Deployment(dataDir, undefined, broker);
    const clickhouse = await ClickHouseHttp.start();
    const connection = connectTo(clickhouse);
    await migrate(connection, 'custom_data');
    await connection.close();
    return new Deployment(dataDir, clickhouse, broker);
  }

  /** Starts the service; resolves when it answers. */
  async start(env: Record<string, string> = {}): Promise<ServiceProcess> {
    const brokers = this.broker === undefined ? {} : { KAFKA_BROKERS: this.broker.address };
    const servers = { ...this.clickhouse?.env, ...brokers };
    this.service = await ServiceProcess.start(this.dataDir, { ...servers, ...env });
    return this.service;
  }

  /** Rows of a query on the warehouse. */
  query<Row>(sql: string): Promise<Row[]> {
    return (this.clickhouse ?? this.service).query<Row>(sql);
  }

  /** Kills everything and removes what was stored. */
  async close(): Promise<void> {
    try {
      await this.service.kill();
    } finally {
      // Also when the service has never come up.
      await this.clickhouse?.stop();
      await this.broker?.stop();
      await removeDataDir(this.dataDir);
    }
  }
}
