import { spawn } from 'node:child_process';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

import { interpolate, readReport, sqlOf } from '../../support/documents/report-dashboard.js';
import { builtOnce, isBuilt } from '../../support/machine/built-once.js';
import { run, runs } from '../../support/service/command.js';
import { describeIf } from '../../support/machine/describe-if.js';
import { ServiceWithSamples } from '../../support/files/samples.js';

/**
 * The queries of Grafana's ClickHouse data source (grafana/clickhouse-datasource 4.20.0) over HTTP:
 * by hand as its driver writes them, and with the driver itself, clickhouse-go of the same version.
 */

const DRIVER = 'clickhouse-go-2.47.0';
/** The first run fetches and compiles the driver. */
const SET_UP_MS = 600_000;
const DAY_MS = 86_400_000;

/** Queries of the plugin itself, besides those of dashboards. */
const PLUGIN = {
  handshake: 'SELECT displayName(), version(), revision(), timezone()',
  ping: 'SELECT 1',
  version: 'SELECT version()',
  databases: 'SHOW DATABASES',
  tables: 'SHOW TABLES FROM "custom_data"',
  columns: 'DESC TABLE "custom_data"."metrics"',
  columnsForFilters:
    "SELECT name, type, table FROM system.columns WHERE database IN ('custom_data')",
  columnNames:
    "SELECT name FROM system.columns WHERE database = 'custom_data' AND table = 'metrics' ORDER BY name",
  functions: `
      SELECT
        name, is_aggregate, case_insensitive, alias_to, origin, description,
        syntax, arguments, returned_value, examples, categories
      FROM system.functions
      LIMIT 10000
    `,
  values:
    'SELECT DISTINCT "name" AS value FROM "custom_data"."metrics" WHERE "name" IS NOT NULL ORDER BY value LIMIT 1000',
};

let samples: ServiceWithSamples;
beforeAll(async () => {
  samples = await ServiceWithSamples.start();
});
afterAll(() => samples.close());

describe('the requests of the data source', () => {
  async function send(query: string, more: Readonly<Record<string, string>> = {}) {
    const parameters = new URLSearchParams({
      client_protocol_version: '54460',
      database: 'custom_data',
      default_format: 'Native',
      max_execution_time: '65',
      ...more,
    });
    const answer = await fetch(`${samples.url}/?${parameters.toString()}`, {
      method: 'POST',
      headers: {
        Authorization: `Basic ${Buffer.from('grafana:secret').toString('base64')}`,
        'Accept-Encoding': 'gzip',
        'User-Agent': 'grafana/12.1.0 clickhouse-datasource/4.20.0 clickhouse-go/2.47.0',
        'X-Grafana-User': 'jane',
      },
      body: query,
    });
    const body = Buffer.from(await answer.arrayBuffer()).toString('latin1');
    return { status: answer.status, encoding: answer.headers.get('content-encoding'), body };
  }

  /** Returns the head of a block with its numbers of columns and rows. */
  const block = (columns: number, rows: number): string =>
    `\x01\x00\x02\xff\xff\xff\xff\x00${String.fromCharCode(columns, rows)}`;

  test('the handshake has a name, a version, a revision and a time zone', async () => {
    const { status, encoding, body } = await send(PLUGIN.handshake);
    expect([status, encoding]).toEqual([200, null]);
    expect(body.startsWith(`${block(4, 1)}\rdisplayName()\x06String\x00`)).toBe(true);
    expect(body).toContain('\nrevision()\x06UInt32\x00');
    expect(body).toMatch(/\ntimezone\(\)\x06String\x00.(?:\w+\/)?\w+$/s);
  });

  test.each(Object.entries(PLUGIN))('%s', async (_name, query) => {
    const { status, body } = await send(query);
    expect([status, body.slice(0, 8)]).toEqual([200, block(0, 0).slice(0, 8)]);
  });

  test('the names of what is there', async () => {
    expect((await send(PLUGIN.databases)).body).toContain('custom_data');
    expect((await send(PLUGIN.tables)).body).toContain('self_serve_report');
    expect((await send(PLUGIN.columns)).body).toContain('archived');
    expect((await send(PLUGIN.values)).body).toContain('StoreVisits');
    const { body } = await send(PLUGIN.columnNames);
    expect(body.startsWith(`${block(1, 5)}\x04name\x06String\x00\x07account\x08archived`)).toBe(
      true,
    );
  });

  test('with a limit on rows, and settings that somebody typed into its form', async () => {
    const { status, body } = await send(PLUGIN.tables, { limit: '2', max_block_size: '65505' });
    expect([status, body.slice(0, 10)]).toEqual([200, block(1, 2)]);
  });

  test('with the comments that it is given', async () => {
    const { status } = await send('-- grafana_user:jane\n/* panel 3 */ SELECT 1 -- end');
    expect(status).toBe(200);
  });

  test('errors have their code in them', async () => {
    const { status, body } = await send('SELECT nothing FROM metrics');
    expect([status, body]).toEqual([404, expect.stringMatching(/^Code: 47\. DB::Exception: /)]);
  });
});

describeIf(
  isBuilt(DRIVER) || runs('go', ['version']),
  'Go is missing, which compiles the driver of Grafana',
)('the driver of the data source', () => {
  interface Result {
    readonly columns?: readonly string[];
    readonly rows: readonly (readonly unknown[])[];
    readonly error?: string;
  }

  let program: string;
  beforeAll(() => {
    const folder = builtOnce(DRIVER, (fresh) => {
      cpSync(fileURLToPath(new URL('grafana/', import.meta.url)), fresh, { recursive: true });
      run('go', ['build', '-C', fresh, '-o', 'asks', '.']);
    });
    program = join(folder, 'asks');
  }, SET_UP_MS);

  async function ask(queries: readonly string[]): Promise<Result[]> {
    const child = spawn(program, [`127.0.0.1:${samples.service.ports.query}`], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    child.stdin.end(JSON.stringify(queries));
    const parts: Buffer[] = [];
    for await (const part of child.stdout as AsyncIterable<Buffer>) parts.push(part);
    return JSON.parse(Buffer.concat(parts).toString()) as Result[];
  }

  test('gets rows for everything that the data source and its reports ask', async () => {
    const now = Date.now();
    const values = {
      account: 'acme',
      metric: 'cost',
      groupBy: 'channel',
      interval: 'week',
      channel: '',
      campaign: '',
      ad_group: '',
      country: '',
      os_name: '',
      __from: String(now - 30 * DAY_MS),
      __to: String(now),
    };
    const reports = ['actuals', 'trends', 'quality']
      .map(readReport)
      .flatMap(({ panels, templating }) => [
        ...panels.map(({ targets }) => targets[0].rawSql),
        ...templating.list.filter(({ type }) => type === 'query').map(sqlOf),
      ]);
    const queries = [...Object.values(PLUGIN), ...reports.map((sql) => interpolate(sql, values))];
    const results = await ask(queries);
    expect(results).toHaveLength(queries.length);
    for (const [index, { error, rows }] of results.entries()) {
      expect([queries[index], error]).toEqual([queries[index], undefined]);
      expect(rows.length).toBeGreaterThan(0);
    }
  });

  test('reads every type of every view', async () => {
    const views = ['cost_summary', 'cost_report', 'cost_rows', 'self_serve_summary'];
    const more = [
      'self_serve_report',
      'self_serve_rows',
      'metrics',
      'upload_requests',
      'upload_activity',
    ];
    const ofQuality = ['data_freshness', 'spelling_variants'];
    for (const { error, rows } of await ask(
      [...views, ...more, ...ofQuality].map((view) => `SELECT * FROM ${view}`),
    )) {
      expect(error).toBeUndefined();
      expect(rows.length).toBeGreaterThan(0);
    }
    const [metrics] = await ask(['SELECT name, archived FROM metrics ORDER BY name']);
    expect(metrics!.rows).toEqual([
      ['CallCenterOrders', false],
      ['OldScore', true],
      ['StoreVisits', false],
    ]);
  });

  test('is told of errors before and within the rows', async () => {
    const [before, within] = await ask([
      'DROP TABLE cost',
      'SELECT throwIf(number = 3000000) FROM numbers(10000000)',
    ]);
    expect(before!.error).toContain('READONLY');
    expect(within!.error).toContain('Code: 395');
  });
});
