import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import { describeIf } from '../machine/describe-if.js';
import { freePorts } from '../machine/free-ports.js';
import { findPrograms } from '../machine/prometheus-programs.js';

const RULES = fileURLToPath(new URL('../../../deploy/prometheus/rules/', import.meta.url));
const START_MS = 50_000;

const programs = findPrograms();

/** Tests that run Prometheus or promtool. Skipped with a message where they cannot; fails in CI. */
export const describeWithPrometheus = describeIf(
  typeof programs !== 'string',
  typeof programs === 'string' ? programs : '',
);

/** Runs promtool. Returns its exit code and its output on both streams. */
export function promtool(args: readonly string[], input = ''): { code: number; output: string } {
  const { promtool } = ready();
  const { status, stdout, stderr } = spawnSync(promtool, args, { input, encoding: 'utf8' });
  return { code: status ?? -1, output: stdout + stderr };
}

/** Same as `promtool`, for several that run side by side. */
export function promtoolBeside(args: readonly string[]): Promise<{ code: number; output: string }> {
  const { promtool } = ready();
  return new Promise((resolve) => {
    const child = execFile(promtool, args, (_error, stdout, stderr) => {
      resolve({ code: child.exitCode ?? -1, output: stdout + stderr });
    });
  });
}

export interface Sample {
  readonly metric: Readonly<Record<string, string>>;
  readonly value: readonly [number, string];
}

/** A rule as the Prometheus API returns it. */
export interface Rule {
  readonly name: string;
  readonly query: string;
  readonly health: string;
  readonly lastError?: string;
}

/** A real Prometheus with the deployed rules. It scrapes one target every second. */
export class Prometheus {
  private constructor(
    private readonly process: ChildProcess,
    private readonly dir: string,
    private readonly base: string,
  ) {}

  /** @param target `host:port` of a service's ops port */
  static async start(target: string): Promise<Prometheus> {
    const { prometheus } = ready();
    const dir = await mkdtemp(join(tmpdir(), 'custom-data-prometheus-'));
    await copyRules(join(dir, 'rules'));
    // JSON is valid YAML.
    const config = {
      global: { scrape_interval: '1s', evaluation_interval: '1s' },
      rule_files: ['rules/*.yml'],
      scrape_configs: [{ job_name: 'custom-data-upload', static_configs: [{ targets: [target] }] }],
    };
    await writeFile(join(dir, 'prometheus.yml'), JSON.stringify(config));
    const [port] = (await freePorts(1)) as [number];
    const args = [
      `--config.file=${join(dir, 'prometheus.yml')}`,
      `--storage.tsdb.path=${join(dir, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
    ];
    const child = spawn(prometheus, args, { stdio: ['ignore', 'ignore', 'pipe'] });
    let output = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (output += text));
    const started = new Prometheus(child, dir, `http://127.0.0.1:${port}`);
    for (const until = Date.now() + START_MS; !(await started.isReady());) {
      if (child.exitCode !== null || Date.now() > until) {
        await started.stop();
        throw new Error(`Prometheus does not start: ${output.slice(-4_000)}`);
      }
      await sleep(100);
    }
    return started;
  }

  /** The current value of an expression. Rejects with Prometheus' message when it is invalid. */
  async query(expression: string): Promise<readonly Sample[]> {
    const { result } = await this.ask<{ result: readonly Sample[] }>('query', {
      query: expression,
    });
    return result;
  }

  /** Every rule, with its last evaluation. */
  async rules(): Promise<readonly Rule[]> {
    const { groups } = await this.ask<{ groups: readonly { rules: readonly Rule[] }[] }>('rules');
    return groups.flatMap(({ rules }) => rules);
  }

  async stop(): Promise<void> {
    if (this.process.exitCode === null && this.process.signalCode === null) {
      const exited = once(this.process, 'exit');
      this.process.kill('SIGKILL');
      await exited;
    }
    await rm(this.dir, { recursive: true, force: true });
  }

  private async isReady(): Promise<boolean> {
    return fetch(`${this.base}/-/ready`).then(
      ({ ok }) => ok,
      () => false,
    );
  }

  private async ask<T>(
    path: string,
    parameters: Readonly<Record<string, string>> = {},
  ): Promise<T> {
    const answer = await fetch(
      `${this.base}/api/v1/${path}?${new URLSearchParams(parameters).toString()}`,
    );
    const body = (await answer.json()) as { status: string; error?: string; data: T };
    if (body.status !== 'success')
      throw new Error(`${parameters['query'] ?? path}: ${body.error ?? ''}`);
    return body.data;
  }
}

/** Copies the deployed rules, but Prometheus evaluates them every second. */
async function copyRules(to: string): Promise<void> {
  await cp(RULES, to, { recursive: true });
  for (const name of await readdir(to)) {
    const file = join(to, name);
    const text = await readFile(file, 'utf8');
    await writeFile(file, text.replace(/^ {4}interval: \S+\n/gm, ''));
  }
}

function ready(): Exclude<typeof programs, string> {
  if (typeof programs === 'string') throw new Error(programs);
  return programs;
}
