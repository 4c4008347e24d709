import { setTimeout as sleep } from 'node:timers/promises';

import type { Role } from '../../../src/config/config.js';
import type { ClickHouseHttp } from '../clickhouse/clickhouse-http.js';
import { startWithSchema } from '../clickhouse/with-schema.js';
import { KafkaBroker } from '../kafka/kafka-broker.js';
import { makeDataDir, type Ports, removeDataDir, ServiceProcess } from './service-process.js';
import { countFault } from './soak.js';

const LAST_LINES = 8;
/** Lines of each request, which would leave no room for others. */
const OFTEN = ['create', 'upload succeeded'];
const FEW_LINES = 3;
const ANSWER_MS = 5_000;

/** One broker, or a cluster of several. */
interface Brokers {
  /** Addresses for `KAFKA_BROKERS`. */
  readonly brokers: readonly string[];
  stop(): Promise<void>;
}

/**
 * The scaled-out service: brokers, one ClickHouse server, and any number of processes. Each process
 * has its own roles and data folder. All share the tokens file.
 */
export class Cluster<B extends Brokers = KafkaBroker> {
  /** The starts of all processes, including those that have ended. */
  private readonly starts: Promise<ServiceProcess>[] = [];
  private readonly dataDirs = new Set<string>();

  private constructor(
    readonly broker: B,
    readonly clickhouse: ClickHouseHttp,
    /** Folder of the tokens file. No process uses it as its data folder. */
    readonly sharedDir: string,
    private readonly env: Readonly<Record<string, string>>,
  ) {}

  /**
   * Starts one broker and a ClickHouse server with the schema, but no process.
   *
   * @param options.broker settings of the broker
   * @param options.env environment variables of every process
   */
  static async open(
    options: {
      readonly broker?: Readonly<Record<string, string>>;
      readonly env?: Readonly<Record<string, string>>;
    } = {},
  ): Promise<Cluster> {
    const [broker, clickhouse] = await Promise.all([
      KafkaBroker.start(options.broker),
      startWithSchema(),
    ]);
    return new Cluster(broker, clickhouse, await makeDataDir(), options.env ?? {});
  }

  /** Same as `open`, on brokers that already run. `close` stops them. */
  static async on<B extends Brokers>(
    broker: B,
    env: Readonly<Record<string, string>> = {},
  ): Promise<Cluster<B>> {
    return new Cluster(broker, await startWithSchema(), await makeDataDir(), env);
  }

  /** Starts a process with one role; resolves when it answers. */
  async start(role: Role, env: Readonly<Record<string, string>> = {}): Promise<ServiceProcess> {
    return this.startIn(await makeDataDir(), role, env);
  }

  /** Starts a successor of a process that has ended, in its data folder. */
  async restart(
    ended: ServiceProcess,
    role: Role,
    env: Readonly<Record<string, string>> = {},
  ): Promise<ServiceProcess> {
    if (ended.process.signalCode === 'SIGKILL') countFault(`${role} killed`);
    return this.startIn(ended.dataDir, role, env);
  }

  /** Rows of a query on the warehouse. */
  query<Row>(sql: string): Promise<Row[]> {
    return this.clickhouse.query<Row>(sql);
  }

  /** The last output of the processes that were not killed, to explain a timeout. */
  async lastWords(): Promise<string> {
    const answer = this.query('SELECT 1').then(() => 'answers', String);
    const warehouse = await Promise.race([answer, sleep(ANSWER_MS, 'does not answer')]);
    const starts = await Promise.allSettled(this.starts);
    const words = await Promise.all(
      starts.map(async (start) => {
        if (start.status === 'rejected') return String(start.reason);
        const { process, logs, stderr, ports } = start.value;
        if (process.signalCode === 'SIGKILL') return '';
        const said = [
          ...logs.filter(({ msg }) => !OFTEN.includes(String(msg))).slice(-LAST_LINES),
          ...logs.slice(-FEW_LINES),
        ].map((line) => JSON.stringify(line));
        return [
          `process ${process.pid!}, exit code ${process.exitCode}: ${await readinessOf(ports)}`,
          ...said,
          stderr,
        ].join('\n');
      }),
    );
    return [`the warehouse: ${warehouse}`, ...words.filter((each) => each !== '')].join('\n');
  }

  /** Kills everything and removes all data. */
  async close(): Promise<void> {
    for (const started of await Promise.allSettled(this.starts)) {
      // SIGKILL also ends a process that a signal has stopped.
      if (started.status === 'fulfilled') await started.value.kill();
    }
    for (const dataDir of this.dataDirs) await removeDataDir(dataDir);
    await this.clickhouse.stop();
    await this.broker.stop();
    await removeDataDir(this.sharedDir);
  }

  private startIn(
    dataDir: string,
    role: Role,
    env: Readonly<Record<string, string>>,
  ): Promise<ServiceProcess> {
    this.dataDirs.add(dataDir);
    const start = ServiceProcess.start(dataDir, {
      ...this.clickhouse.env,
      KAFKA_BROKERS: this.broker.brokers.join(','),
      TOKENS_FILE: `${this.sharedDir}/tokens.json`,
      ROLES: role,
      ...this.env,
      ...env,
    });
    this.starts.push(start);
    return start;
  }
}

/** What a process says of its readiness, or why it says nothing. */
async function readinessOf(ports: Ports | undefined): Promise<string> {
  try {
    const signal = AbortSignal.timeout(ANSWER_MS);
    return await (await fetch(`http://127.0.0.1:${ports?.ops}/health/ready`, { signal })).text();
  } catch (error) {
    return String(error);
  }
}
