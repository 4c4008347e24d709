import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { describe } from '@jest/globals';

import { migrate } from '../../../src/warehouse/schema/migrate.js';
import { ClickHouseHttp } from '../clickhouse/clickhouse-http.js';
import { describeWithBroker } from '../kafka/kafka.js';
import { KafkaBroker } from '../kafka/kafka-broker.js';
import { makeDataDir, type Ports, removeDataDir, ServiceProcess } from './service-process.js';
import { countFault, IS_SOAK } from './soak.js';
import { connectTo, type WarehouseKind } from '../chdb/warehouses.js';

const TOOL = fileURLToPath(new URL('../../../dist/clients/cli/main.js', import.meta.url));

/** What a service stands on. */
export interface DeploymentKind {
  readonly log: 'lmdb' | 'kafka';
  readonly warehouse: WarehouseKind;
}

/** One per adapter; the soak runs the mixed ones as well. */
const DEPLOYMENTS: readonly DeploymentKind[] = [
  { log: 'lmdb', warehouse: 'chdb' },
  { log: 'kafka', warehouse: 'clickhouse' },
  ...(IS_SOAK
    ? ([
        { log: 'lmdb', warehouse: 'clickhouse' },
        { log: 'kafka', warehouse: 'chdb' },
      ] as const)
    : []),
];

/** The tiers share the deployments by their log. */
const OF_TIER = (globalThis as { DEPLOYMENT_LOG?: string }).DEPLOYMENT_LOG;

/** Tests of one log, in the tier of that log. Those on Kafka are skipped loudly where no broker can be started; a failure in CI. */
export function describeOn(log: DeploymentKind['log'], name: string, tests: () => void): void {
  if (log === OF_TIER) (log === 'kafka' ? describeWithBroker : describe)(name, tests);
}

/** The tests once on each deployment of the tier. */
export function describeDeployments(tests: (kind: DeploymentKind) => void): void {
  for (const kind of DEPLOYMENTS) {
    describeOn(kind.log, `on ${kind.log} and ${kind.warehouse}`, () => {
      tests(kind);
    });
  }
}

/** A data folder, the servers that the service needs, and the service on them. */
export class Deployment {
  /** The process that was started last. */
  service!: ServiceProcess;
  private before: ServiceProcess | undefined;
  /** What it was started with. */
  private settings: Readonly<Record<string, string>> = {};

  private constructor(
    readonly dataDir: string,
    /** Undefined: the warehouse is in the service's process. */
    readonly clickhouse: ClickHouseHttp | undefined,
    /** Undefined: the log is in the service's process. */
    readonly broker: KafkaBroker | undefined,
  ) {}

  /**
   * The servers run, with the schema; the service does not yet.
   *
   * @param clickhouseConfig of a ClickHouse server, as XML
   */
  static async open(
    { log, warehouse }: DeploymentKind,
    clickhouseConfig?: string,
  ): Promise<Deployment> {
    const dataDir = await makeDataDir();
    // Of its own: a service has its topics under their real names.
    const broker = log === 'kafka' ? await KafkaBroker.start() : undefined;
    if (warehouse === 'chdb') return new Deployment(dataDir, undefined, broker);
    const config = clickhouseConfig === undefined ? {} : { config: clickhouseConfig };
    const clickhouse = await ClickHouseHttp.start(config);
    const connection = connectTo(clickhouse);
    await migrate(connection, 'custom_data');
    await connection.close();
    return new Deployment(dataDir, clickhouse, broker);
  }

  /** Where the servers are, as environment variables. */
  get env(): Record<string, string> {
    const brokers = this.broker === undefined ? {} : { KAFKA_BROKERS: this.broker.address };
    return { ...this.clickhouse?.env, ...brokers };
  }

  /** Starts the service; resolves when it answers. */
  async start(env: Record<string, string> = {}): Promise<ServiceProcess> {
    if (this.before?.process.signalCode === 'SIGKILL') countFault('whole service killed');
    this.settings = env;
    this.service = await ServiceProcess.start(this.dataDir, { ...this.env, ...env });
    this.before = this.service;
    return this.service;
  }

  /** Runs the command line tool with the service's settings; gives what it writes to standard output. */
  async customData(...args: readonly string[]): Promise<string> {
    // With a warehouse on a server the service has no query interface.
    const { query = '' } = this.service.ports as Partial<Ports>;
    const env = {
      PATH: process.env['PATH'],
      DATA_DIR: this.dataDir,
      QUERY_PORT: String(query),
      ...this.env,
      ...this.settings,
    };
    return (await promisify(execFile)(process.execPath, [TOOL, ...args], { env, timeout: 120_000 }))
      .stdout;
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
