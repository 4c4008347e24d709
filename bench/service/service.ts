import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { cp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import {
  metricOf,
  type Ports,
  rowsOf,
  tokenFor,
  V8_OPTIONS,
} from '../../test/support/service/service-process.js';
import type { Target } from '../load/requests.js';
import { NOTHING, plus, type Totals } from '../load/totals.js';
import { endWithUs, makeFolder, removeFolder } from '../process/cleanup.js';
import { requireCostTotals } from './stored-totals.js';

/** npm runs its scripts in the package's folder. */
const ROOT = process.cwd();
const START_MS = 60_000;
/** The account that benchmarks upload for. */
export const ACCOUNT = 'bench';

export interface ServiceOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** A data folder to start from; it is copied. */
  readonly stored?: string;
  readonly account?: string;
  /** How many accounts there are: the account, and others named after it. */
  readonly accounts?: number;
}

/**
 * The built service as shipped, in a separate process with its own data folder. Its log goes to a
 * file.
 */
export class Service {
  private constructor(
    private readonly process: ChildProcess,
    readonly dataDir: string,
    readonly accounts: readonly string[],
    readonly tokens: readonly string[],
    private readonly ports: Ports,
    /** Milliseconds from its start until it listened. */
    readonly startMs: number,
  ) {}

  static async start(options: ServiceOptions = {}): Promise<Service> {
    const { env, stored, account = ACCOUNT, accounts: count = 1 } = options;
    const dataDir = await makeFolder();
    if (stored !== undefined) await cp(stored, dataDir, { recursive: true });
    const accounts = accountsOf(account, count);
    const tokens: string[] = [];
    for (const each of accounts) tokens.push(await tokenFor(dataDir, each));
    const log = join(dataDir, 'service.log');
    const output = openSync(log, 'a');
    const from = performance.now();
    const child = spawn(process.execPath, [...V8_OPTIONS, '--enable-source-maps', 'dist/main.js'], {
      cwd: ROOT,
      env: {
        PATH: process.env['PATH'],
        DATA_DIR: dataDir,
        HTTP_PORT: '0',
        OPS_PORT: '0',
        QUERY_PORT: '0',
        UV_THREADPOOL_SIZE: '16',
        ...env,
      },
      stdio: ['ignore', output, 'inherit'],
    });
    closeSync(output);
    endWithUs(child);
    const ports = await listening(child, log);
    return new Service(child, dataDir, accounts, tokens, ports, performance.now() - from);
  }

  get pid(): number {
    return this.process.pid!;
  }

  get target(): Target {
    return { port: this.ports.api, token: this.tokens[0]! };
  }

  /**
   * Compares what every cost view shows with the expected totals.
   *
   * @param expected of the first account
   * @param others of each other account
   * @param before what accounts had stored before
   */
  requireTotals(
    expected: Totals,
    others = NOTHING,
    before: ReadonlyMap<string, Totals> = new Map(),
  ): Promise<void> {
    const totals = this.accounts.map(
      (account, at) =>
        [account, plus(before.get(account) ?? NOTHING, at === 0 ? expected : others)] as const,
    );
    return requireCostTotals((sql) => this.query(sql), new Map(totals));
  }

  /** The sum of a metric over its labels, or over those with `label`. */
  metric(name: string, label?: string): Promise<number> {
    return metricOf(this.ports, name, label);
  }

  /** Rows of a query on the query interface. */
  query<Row>(sql: string): Promise<Row[]> {
    return rowsOf(this.ports, sql);
  }

  /** Stops the service as an operator does, and removes the data folder. */
  async stop(): Promise<void> {
    await this.end('SIGTERM');
  }

  /** Kills the service and discards its data. */
  async kill(): Promise<void> {
    await this.end('SIGKILL');
  }

  private async end(signal: NodeJS.Signals): Promise<void> {
    if (this.process.exitCode === null && this.process.signalCode === null) {
      const exited = once(this.process, 'exit');
      this.process.kill(signal);
      await exited;
    }
    await removeFolder(this.dataDir);
  }
}

/** The account, and others named after it. */
export function accountsOf(account: string, count: number): string[] {
  return Array.from({ length: count }, (_, at) => (at === 0 ? account : `${account}-${at}`));
}

async function listening(child: ChildProcess, log: string): Promise<Ports> {
  const until = Date.now() + START_MS;
  for (;;) {
    const text = await readFile(log, 'utf8');
    const line = text.split('\n').find((entry) => entry.includes('"msg":"listening"'));
    if (line !== undefined) return JSON.parse(line) as Ports;
    if (child.exitCode !== null || Date.now() > until) {
      throw new Error(`the service did not start: ${text.slice(-2000)}`);
    }
    await sleep(20);
  }
}
