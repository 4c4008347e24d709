import { type ChildProcess, spawn } from 'node:child_process';
import { hash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

import type { AccountRole } from '../../../src/accounts/account.js';
import { replaceFile, withFileLock } from '../../../src/accounts/file-lock.js';
import { readIfThere } from '../../../src/accounts/read-if-there.js';
import type { TokenRecord } from '../../../src/accounts/token-records.js';
import { copyMigrated } from '../chdb/migrated.js';
import { rowsIn } from '../clickhouse/rows.js';
import { COMPILED_ONCE } from '../machine/compile-cache.js';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
/** Of `npm start`, besides source maps. */
export const V8_OPTIONS = ['--max-semi-space-size=4'];
/** Shorter than a test's time limit, so that a failure shows the output. */
const START_MS = 120_000;
/** A test may compute for longer than a server keeps an idle connection open. */
const ONCE = { headers: { Connection: 'close' } };

export interface Ports {
  readonly api: number;
  readonly ops: number;
  readonly query: number;
}

/** The built service in a separate process, on free ports of 127.0.0.1. */
export class ServiceProcess {
  /** All log lines so far, parsed. */
  readonly logs: Record<string, unknown>[] = [];
  stderr = '';
  ports!: Ports;
  readonly exited: Promise<number | null>;

  private readonly announced: Promise<Ports>;

  private constructor(
    readonly process: ChildProcess,
    readonly dataDir: string,
  ) {
    // Not `exit`: only at `close` all output has been read.
    this.exited = once(process, 'close').then(([code]) => code as number | null);
    process.stderr!.setEncoding('utf8').on('data', (text: string) => (this.stderr += text));
    this.announced = new Promise((resolve) => {
      createInterface({ input: process.stdout! }).on('line', (line) => {
        // A kill may cut a line off.
        if (!line.endsWith('}')) return;
        const entry = JSON.parse(line) as Record<string, unknown>;
        this.logs.push(entry);
        if (entry['msg'] === 'listening') resolve(entry as unknown as Ports);
      });
    });
  }

  /** Starts the service. Resolves when it answers; rejects with its output when it ends before. */
  static async start(dataDir: string, env: Record<string, string> = {}): Promise<ServiceProcess> {
    const service = ServiceProcess.begin(dataDir, env);
    await service.listening();
    return service;
  }

  /** Starts the service without waiting for it. */
  static begin(dataDir: string, env: Record<string, string> = {}): ServiceProcess {
    const child = spawn(process.execPath, [...V8_OPTIONS, '--enable-source-maps', 'dist/main.js'], {
      cwd: ROOT,
      env: {
        PATH: process.env['PATH'],
        TMPDIR: tmpdir(),
        DATA_DIR: dataDir,
        HTTP_PORT: '0',
        OPS_PORT: '0',
        QUERY_PORT: '0',
        UV_THREADPOOL_SIZE: '16',
        ...COMPILED_ONCE,
        ...env,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    return new ServiceProcess(child, dataDir);
  }

  /** Resolves when the service answers; rejects with its output when it ends before. */
  async listening(): Promise<void> {
    const timer = setTimeout(() => this.process.kill('SIGKILL'), START_MS);
    try {
      this.ports = await Promise.race([
        this.announced,
        this.exited.then((code) => {
          const said =
            this.stderr +
            this.logs
              .slice(-10)
              .map((entry) => `\n${JSON.stringify(entry)}`)
              .join('');
          throw new Error(`the service ended with ${String(code)}: ${said}`);
        }),
      ]);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Kills the process. Unlike after a power loss, unsynced writes survive. */
  async kill(): Promise<void> {
    this.process.kill('SIGKILL');
    await this.exited;
  }

  /** Stops the service as an operator does. Returns the exit code. */
  async stop(): Promise<number | null> {
    this.process.kill('SIGTERM');
    return this.exited;
  }

  /** The answer to a readiness check. */
  readiness(): Promise<Response> {
    return fetch(`http://127.0.0.1:${this.ports.ops}/health/ready`, ONCE);
  }

  metrics(): Promise<string> {
    return metricsOf(this.ports);
  }

  /** The sum of a metric over its labels, or over those with `label`; 0 while it has no value. */
  metric(name: string, label?: string): Promise<number> {
    return metricOf(this.ports, name, label);
  }

  /** Rows of a query on the query interface. */
  query<Row>(sql: string): Promise<Row[]> {
    return rowsOf(this.ports, sql);
  }
}

async function metricsOf({ ops }: Ports): Promise<string> {
  return (await fetch(`http://127.0.0.1:${ops}/metrics`, ONCE)).text();
}

/** See {@link ServiceProcess.metric}. */
export async function metricOf(ports: Ports, name: string, label?: string): Promise<number> {
  const labels = label === undefined ? '(?:\\{[^}]*\\})?' : `\\{[^}]*${label}[^}]*\\}`;
  const value = new RegExp(`^${name}${labels} (\\S+)$`, 'gm');
  const text = await metricsOf(ports);
  const family = name.replace(/_(?:sum|count|bucket)$/, '');
  if (!text.includes(`# TYPE ${family} `)) throw new Error(`there is no metric ${family}`);
  const found = text.matchAll(value);
  return [...found].reduce((sum, [, text]) => sum + Number(text), 0);
}

/** See {@link ServiceProcess.query}. */
export async function rowsOf<Row>({ query }: Ports, sql: string): Promise<Row[]> {
  const answer = await fetch(
    `http://127.0.0.1:${query}/?database=custom_data&default_format=JSONEachRow&output_format_json_quote_64bit_integers=0`,
    { ...ONCE, method: 'POST', body: sql },
  );
  return rowsIn<Row>(answer);
}

export async function makeDataDir(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'custom-data-test-'));
}

/** A data folder with the embedded warehouse of a first start, so that a start takes less time. */
export async function makeMigratedDir(): Promise<string> {
  const dataDir = await makeDataDir();
  await copyMigrated(dataDir);
  return dataDir;
}

export async function removeDataDir(dataDir: string): Promise<void> {
  await rm(dataDir, { recursive: true, force: true });
}

/** Adds a token to the service's tokens file. A running service accepts it within a second. */
export async function tokenFor(
  dataDir: string,
  account: string,
  role: AccountRole = 'owner',
  timeZone = 'UTC',
): Promise<string> {
  const [token] = await tokensFor(dataDir, [account], role, timeZone);
  return token!;
}

/**
 * Adds a token for each account. It does not use `createToken`, whose rules of a record are some
 * hundred modules that most test files need for nothing else.
 */
export async function tokensFor(
  dataDir: string,
  accounts: readonly string[],
  role: AccountRole = 'owner',
  timeZone = 'UTC',
): Promise<string[]> {
  const path = join(dataDir, 'tokens.json');
  const created = accounts.map((account) => {
    const token = `cdu_${randomBytes(32).toString('base64url')}`;
    const record: TokenRecord = {
      id: randomBytes(6).toString('hex'),
      sha256: hash('sha256', token),
      account,
      role,
      timeZone,
      createdAt: new Date().toISOString(),
      revokedAt: null,
    };
    return { token, record };
  });
  await withFileLock(path, async () => {
    const text = (await readIfThere(path)) ?? '{"tokens":[]}';
    const { tokens } = JSON.parse(text) as { readonly tokens: readonly TokenRecord[] };
    const records = created.map(({ record }) => record);
    await replaceFile(path, JSON.stringify({ tokens: [...tokens, ...records] }), 0o600);
  });
  return created.map(({ token }) => token);
}
