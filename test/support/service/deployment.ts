import { setTimeout as sleep } from 'node:timers/promises';

import { describe } from '@jest/globals';

import type { WarehouseKind } from '../chdb/warehouses.js';
import type { ClickHouseHttp } from '../clickhouse/clickhouse-http.js';
import { startWithSchema } from '../clickhouse/with-schema.js';
import { describeWithBroker } from '../kafka/describe-with-broker.js';
import { KafkaBroker } from '../kafka/kafka-broker.js';
import {
  makeDataDir,
  makeMigratedDir,
  type Ports,
  removeDataDir,
  ServiceProcess,
} from './service-process.js';
import { countFault, IS_SOAK } from './soak.js';

/** The log and the warehouse that a service uses. */
export interface DeploymentKind {
  readonly log: 'lmdb' | 'kafka';
  readonly warehouse: WarehouseKind;
}

/** One per adapter. The soak also runs the mixed ones. */
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

/** The tiers divide the deployments by log. */
const OF_TIER = (globalThis as { DEPLOYMENT_LOG?: string }).DEPLOYMENT_LOG;

/**
 * Runs tests of one log in the tier of that log. Tests on Kafka are skipped with a message where no
 * broker can start; they fail in CI.
 */
export function describeOn(log: DeploymentKind['log'], name: string, tests: () => void): void {
  if (log === OF_TIER) (log === 'kafka' ? describeWithBroker : describe)(name, tests);
}

/** Runs the tests on each deployment of the tier. */
export function describeDeployments(tests: (kind: DeploymentKind) => void): void {
  for (const kind of DEPLOYMENTS) {
    describeOn(kind.log, `on ${kind.log} and ${kind.warehouse}`, () => {
      tests(kind);
    });
  }
}

/** A data folder, the servers that the service needs, and the service itself. */
export class Deployment {
  /** The process that was started last. */
  service!: ServiceProcess;
  private before: ServiceProcess | undefined;
  /** The environment that it was started with. */
  private settings: Readonly<Record<string, string>> = {};

  private constructor(
    readonly dataDir: string,
    /** Undefined when the warehouse is embedded in the service. */
    readonly clickhouse: ClickHouseHttp | undefined,
    /** Undefined when the log is embedded in the service. */
    readonly broker: KafkaBroker | undefined,
  ) {}

  /**
   * Starts the servers but not the service. The warehouse has the schema.
   *
   * @param clickhouseConfig configuration of a ClickHouse server, as XML
   */
  static async open(
    { log, warehouse }: DeploymentKind,
    clickhouseConfig?: string,
  ): Promise<Deployment> {
    const config = clickhouseConfig === undefined ? {} : { config: clickhouseConfig };
    const [dataDir, broker, clickhouse] = await Promise.all([
      warehouse === 'chdb' ? makeMigratedDir() : makeDataDir(),
      // Not shared: a service uses the real topic names.
      log === 'kafka' ? KafkaBroker.start() : undefined,
      warehouse === 'clickhouse' ? startWithSchema(config) : undefined,
    ]);
    return new Deployment(dataDir, clickhouse, broker);
  }

  /** Environment variables with the addresses of the servers. */
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

  /** The service's settings for the command line tool. */
  get toolEnv(): Record<string, string> {
    // A service without an embedded warehouse has no query interface.
    const { query = '' } = this.service.ports as Partial<Ports>;
    return { DATA_DIR: this.dataDir, QUERY_PORT: String(query), ...this.env, ...this.settings };
  }

  /**
   * Runs an operator's command in this process, with the service's settings. Returns its standard
   * output.
   *
   * @throws Error with its standard error when it fails
   */
  async customData(...args: readonly string[]): Promise<string> {
    // Loads every command, which most test files do not need.
    const { outcomeOf } = await import('./outcome.js');
    const { code, out, err } = await outcomeOf(this.toolEnv, ...args);
    if (code !== 0) throw new Error(`${args.join(' ')}: ${err}`);
    return out;
  }

  /** `customData` once a member that could not leave its group in time has lost its session. */
  async customDataWithoutMember(...args: readonly string[]): Promise<string> {
    for (const end = Date.now() + 60_000; ;) {
      try {
        return await this.customData(...args);
      } catch (error) {
        if (Date.now() > end || !String(error).includes('has a member')) throw error;
      }
      await sleep(500);
    }
  }

  /** Rows of a query on the warehouse. */
  query<Row>(sql: string): Promise<Row[]> {
    return (this.clickhouse ?? this.service).query<Row>(sql);
  }

  /** Kills everything and removes all data. */
  async close(): Promise<void> {
    try {
      await this.service.kill();
    } finally {
      // Runs also when the service never started.
      await this.clickhouse?.stop();
      await this.broker?.stop();
      await removeDataDir(this.dataDir);
    }
  }
}
