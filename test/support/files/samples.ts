import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { COMPILED_ONCE } from '../machine/compile-cache.js';
import { ApiClient } from '../service/api-client.js';
import {
  makeMigratedDir,
  removeDataDir,
  ServiceProcess,
  tokenFor,
} from '../service/service-process.js';
import { until } from '../until.js';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const DATE = /\d{4}-\d{2}-\d{2}/g;
/** In the order of the page, each with its state in the end. */
const SAMPLES = [
  ['cost', 'cost.csv', 'succeeded'],
  ['cost', 'cost-correction.csv', 'succeeded'],
  ['self-serve', 'self-serve.csv', 'succeeded'],
  ['cost', 'cost-broken.csv', 'failed'],
] as const;
/** The last day of the samples' cost data. */
export const SAMPLE_DAY = '2026-03-05';

/** The built service with the samples of `docs/samples`, uploaded as on the analysts' page. */
export class ServiceWithSamples {
  private constructor(
    readonly service: ServiceProcess,
    readonly client: ApiClient,
    private readonly dataDir: string,
    /** How far the dates of the samples were moved. */
    readonly shiftMs: number,
    /** The request id of the upload that corrects the first one. */
    readonly correction: string,
  ) {}

  static async start(): Promise<ServiceWithSamples> {
    const dataDir = await makeMigratedDir();
    const token = await tokenFor(dataDir, 'acme');
    const [service, contents] = await Promise.all([
      ServiceProcess.start(dataDir),
      Promise.all(SAMPLES.map(([, sample]) => recent(sample))),
    ]);
    const client = new ApiClient(() => service.ports.api, token);

    const requests: string[] = [];
    for (const [at, [family, sample, status]] of SAMPLES.entries()) {
      const record = await client.upload(family, contents[at]!);
      if (record.status !== status) throw new Error(`${sample}: ${JSON.stringify(record)}`);
      requests.push(record.requestId);
    }
    await run(
      process.execPath,
      ['dist/clients/cli/main.js', 'metrics', 'archive', 'OldScore', '--account', 'acme'],
      { cwd: ROOT, env: { DATA_DIR: dataDir, ...COMPILED_ONCE } },
    );

    const lastDay = contents[1]!.match(DATE)!.at(-1)!;
    const shiftMs = Date.parse(lastDay) - Date.parse(SAMPLE_DAY);
    const samples = new ServiceWithSamples(service, client, dataDir, shiftMs, requests[1]!);
    await samples.until('SELECT name FROM metrics WHERE archived', 1);
    await samples.until(
      "SELECT request_id FROM upload_requests WHERE status IN ('succeeded', 'failed')",
      4,
    );
    return samples;
  }

  /** URL of the query interface. */
  get url(): string {
    return `http://127.0.0.1:${this.service.ports.query}`;
  }

  /** What the queries of the analysts' page are asked with. */
  get settings(): Record<string, string> {
    return {
      format_tsv_null_representation: 'NULL',
      session_timezone: 'UTC',
      param_request: this.correction,
    };
  }

  /** The result of a query as tab-separated text, header first. */
  async ask(sql: string): Promise<string> {
    const parameters = new URLSearchParams({ default_format: 'TSVWithNames', ...this.settings });
    const answer = await fetch(`${this.url}/?${parameters.toString()}`, {
      method: 'POST',
      body: sql,
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(text);
    return text;
  }

  /** The cells of such a result, with the dates of the committed samples. */
  cellsIn(result: string): string[][] {
    return this.withDatesOfSamples(result)
      .replace(/\n$/, '')
      .split('\n')
      .map((line) => line.split('\t'));
  }

  /** Moves the dates in a text back to those of the committed samples. */
  withDatesOfSamples(text: string): string {
    return withDatesMoved(text, -this.shiftMs);
  }

  async close(): Promise<void> {
    await this.service.kill();
    await removeDataDir(this.dataDir);
  }

  /** Waits for data that is written shortly after the API reports it. */
  private async until(sql: string, rows: number): Promise<void> {
    await until(async () => (await this.service.query(sql)).length >= rows, 50);
  }
}

/** A text with its dates moved by whole days. */
export function withDatesMoved(text: string, byMs: number): string {
  return text.replace(DATE, (date) => dayOf(Date.parse(date) + byMs));
}

/** A sample with its dates moved, as the page's command prints it. */
async function recent(sample: string): Promise<string> {
  const args = ['docs/samples/recent.mjs', `docs/samples/${sample}`];
  return (await run(process.execPath, args, { cwd: ROOT })).stdout;
}

function dayOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(0, 10);
}
