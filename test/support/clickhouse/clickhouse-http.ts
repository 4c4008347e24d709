import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

import type { Fault } from './faults.js';
import type { ProgramOptions } from './program.js';
import { rowsIn } from './rows.js';
import { COMPILED_ONCE } from '../machine/compile-cache.js';
import { countFault } from '../service/soak.js';

const PROGRAM = fileURLToPath(new URL('./program.ts', import.meta.url));
const HOOKS = new URL('../log/typescript-hooks.mjs', import.meta.url).href;
const REGISTER = `data:text/javascript,import{register}from'node:module';register('${HOOKS}')`;

export interface Counts {
  readonly requests: number;
  readonly inserts: number;
  /** Requests that met a fault. */
  readonly struck: number;
}

interface ClickHouseHttpOptions extends Pick<ProgramOptions, 'tls' | 'config'> {
  /** Variables of its environment, which the configuration may name. */
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * A ClickHouse server in a separate process on 127.0.0.1: ClickHouse's HTTP protocol in front of
 * the real engine. A test can switch faults on and off. The user has a password.
 */
export class ClickHouseHttp {
  readonly user = 'custom_data';
  readonly password = 'p@ss:wörd';

  private process!: ChildProcess;
  private present: Fault | undefined;
  /** Requests that had met a fault before the present one was set. */
  private struck = 0;
  private isRefusing = false;
  private control = 0;
  port = 0;

  private constructor(
    readonly folder: string,
    private readonly options: ClickHouseHttpOptions,
  ) {}

  /**
   * Starts a server.
   *
   * @param fill puts the folder of the engine, `warehouse`, into its folder; otherwise it is empty
   */
  static async start(
    options: ClickHouseHttpOptions = {},
    fill?: (folder: string) => Promise<void>,
  ): Promise<ClickHouseHttp> {
    const folder = await mkdtemp(join(tmpdir(), 'custom-data-clickhouse-'));
    await fill?.(folder);
    const server = new ClickHouseHttp(folder, options);
    await server.restart();
    return server;
  }

  /** Without credentials. */
  get url(): string {
    return `${this.options.tls === undefined ? 'http' : 'https'}://127.0.0.1:${this.port}`;
  }

  /** Environment variables that connect a service to this server. */
  get env(): Record<string, string> {
    return {
      CLICKHOUSE_URL: this.url,
      CLICKHOUSE_USER: this.user,
      CLICKHOUSE_PASSWORD: this.password,
    };
  }

  /** Starts the server again after `kill`, on the same port and with its stored data. */
  async restart(): Promise<void> {
    const { folder, user, password, port } = this;
    const { env, ...given } = this.options;
    const options: ProgramOptions = { ...given, folder, port, user, password };
    this.process = spawn(
      process.execPath,
      ['--import', REGISTER, PROGRAM, JSON.stringify(options)],
      {
        env: {
          PATH: process.env['PATH'],
          TMPDIR: tmpdir(),
          UV_THREADPOOL_SIZE: '16',
          ...COMPILED_ONCE,
          ...env,
        },
        stdio: ['pipe', 'pipe', 'inherit'],
      },
    );
    const lines = createInterface({ input: this.process.stdout! });
    const [line] = (await Promise.race([
      once(lines, 'line'),
      once(this.process, 'exit').then(() => ['']),
    ])) as [string];
    if (line === '') throw new Error('the ClickHouse server of the test did not start');
    ({ port: this.port, control: this.control } = JSON.parse(line) as this & { control: number });
  }

  /** Injects the fault into every request, or into as many as `times` says. */
  async fault(fault: Fault): Promise<void> {
    this.countStruck(await this.command('PUT', 'fault', JSON.stringify(fault)));
    this.present = fault;
  }

  async heal(): Promise<void> {
    this.countStruck(await this.command('DELETE', 'fault'));
    await this.command('POST', 'accept');
    if (this.isRefusing) countFault('warehouse: away');
    this.isRefusing = false;
  }

  /** Closes all connections and accepts no new ones until `heal`. */
  async refuse(): Promise<void> {
    await this.command('POST', 'refuse');
    this.isRefusing = true;
  }

  counts(): Promise<Counts> {
    return this.command('GET', 'counts');
  }

  /**
   * Returns the rows of a query, with integers as numbers.
   *
   * @param database default database of the query; it must exist
   */
  async query<Row>(sql: string, database = 'custom_data'): Promise<Row[]> {
    const parameters = new URLSearchParams({
      database,
      default_format: 'JSONEachRow',
      output_format_json_quote_64bit_integers: '0',
    });
    const answer = await fetch(`${this.url}/?${parameters.toString()}`, {
      method: 'POST',
      headers: {
        Authorization: `Basic ${Buffer.from(`${this.user}:${this.password}`).toString('base64')}`,
        // A test may compute for longer than the server keeps an idle connection open.
        Connection: 'close',
      },
      body: sql,
    });
    return rowsIn<Row>(answer);
  }

  /** Kills the process, as a power loss of its machine would. */
  async kill(): Promise<void> {
    if (this.hasEnded) throw new Error('the warehouse had ended before it was killed');
    await this.end();
    countFault('warehouse: killed');
  }

  private get hasEnded(): boolean {
    return this.process.exitCode !== null || this.process.signalCode !== null;
  }

  private async end(): Promise<void> {
    if (this.hasEnded) return;
    const exited = once(this.process, 'exit');
    this.process.kill('SIGKILL');
    await exited;
  }

  /** Kills the server and removes its data. */
  async stop(): Promise<void> {
    await this.end();
    await rm(this.folder, { recursive: true, force: true });
  }

  /** Counts a fault once for each request that met it, one without `times` once at most. */
  private countStruck({ struck }: Counts): void {
    const { kind, times } = this.present ?? {};
    const met = struck - this.struck;
    if (kind !== undefined)
      countFault(`warehouse: ${kind}`, times === undefined ? Math.min(met, 1) : met);
    this.present = undefined;
    this.struck = struck;
  }

  private async command(method: string, path: string, body?: string): Promise<Counts> {
    const answer = await fetch(`http://127.0.0.1:${this.control}/${path}`, {
      method,
      ...(body === undefined ? {} : { body }),
    });
    return (await answer.json()) as Counts;
  }
}
