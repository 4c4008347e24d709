import { execFile } from 'node:child_process';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { afterAll, beforeAll, expect, test } from '@jest/globals';

import { adapted, ROOT, sh } from '../../support/documents/commands.js';
import { Page, snippet } from '../../support/documents/page.js';
import { builtOnce, isBuilt } from '../../support/machine/built-once.js';
import { run as runNow, runs } from '../../support/service/command.js';
import { describeIf } from '../../support/machine/describe-if.js';
import { hasPython, PYTHON_SET_UP_MS, pythonWith } from '../../support/machine/python.js';
import { ServiceWithSamples } from '../../support/files/samples.js';

/** The clients that analysts use, against the built service with the samples. */

const run = promisify(execFile);
const HERE = fileURLToPath(new URL('python/', import.meta.url));
const PYTHON = 'clickhouse-connect';
const JDBC = fileURLToPath(new URL('jdbc/', import.meta.url));
const JDBC_DRIVER = 'clickhouse-jdbc-0.9.4';
/** The first run downloads the driver. */
const JDBC_SET_UP_MS = 600_000;

let samples: ServiceWithSamples;
beforeAll(async () => {
  samples = await ServiceWithSamples.start();
});
afterAll(() => samples.close());

/** The code of the page that connects a client, with the port of this service. */
function connecting(pattern: RegExp): string {
  const [, code] = pattern.exec(new Page('analysts.md').text)!;
  return adapted(code!, { '8123': String(samples.service.ports.query) });
}

test('@clickhouse/client connects as the page says', async () => {
  const connected = connecting(/`(createClient\([^`]+\))`/);
  const program = `
    import { createClient } from '@clickhouse/client';
    const client = ${connected};
    const result = await client.query({ query: 'SELECT name FROM metrics', format: 'JSONEachRow' });
    console.log((await result.json()).length);
    await client.close();`;
  const args = ['--input-type=module', '--eval', program];
  expect((await run(process.execPath, args, { cwd: ROOT })).stdout).toBe('3\n');
});

describeIf(runs('curl', ['--version']), 'curl is missing')('curl', () => {
  /** Returns the body, and the status on a separate line. */
  async function curl(query: string, ...options: string[]): Promise<string> {
    const args = ['-sS', '-w', '%{http_code}\n', '--data-binary', query, ...options];
    return (await run('curl', [...args, `${samples.url}/?database=custom_data`])).stdout;
  }

  test("runs the page's example as it stands there", async () => {
    const curlOfPage = snippet('analysts.md', 'default_format=PrettyCompact');
    const { stdout } = await sh(adapted(curlOfPage, { 'http://127.0.0.1:8123': samples.url }), {});
    expect(stdout).toContain('566.25');
    expect(stdout).toContain('┌');
  });

  test('reads', async () => {
    expect(await curl('SELECT name, archived FROM metrics ORDER BY name FORMAT CSV')).toBe(
      '"CallCenterOrders",false\n"OldScore",true\n"StoreVisits",false\n200\n',
    );
    expect(await curl('SELECT 1', '--compressed', '-u', 'analyst:any')).toBe('1\n200\n');
  });

  test('waits for the leave to send a long query', async () => {
    const long = `SELECT length('${'x'.repeat(100_000)}')`;
    expect(await curl(long, '-H', 'Expect: 100-continue')).toBe('100000\n200\n');
  });

  test('cannot write, and is told so', async () => {
    const answer = await curl('DROP TABLE cost');
    expect(answer).toMatch(/^Code: 164\. .*\(READONLY\).*\n500\n$/);
    await expect(curl('INSERT INTO cost FORMAT CSV', '--fail-with-body')).rejects.toThrow();
  });
});

describeIf(hasPython(PYTHON), 'Python with its module venv is missing')(
  'clickhouse-connect of Python',
  () => {
    let python: string;
    beforeAll(() => {
      python = pythonWith(PYTHON, join(HERE, 'requirements.txt'));
    }, PYTHON_SET_UP_MS);

    test('connects as the page says', async () => {
      const connected = connecting(/`(clickhouse_connect\.get_client\([^`]+\))`/);
      const program = [
        'import clickhouse_connect',
        `client = ${connected}`,
        "print(len(client.query('SELECT name FROM metrics').result_rows))",
      ];
      expect((await run(python, ['-c', program.join('\n')])).stdout).toBe('3\n');
    });

    test('reads types, parameters, streams and formats, and cannot write', async () => {
      const port = String(samples.service.ports.query);
      const { stdout } = await run(python, [join(HERE, 'client.py'), port]);
      expect(JSON.parse(stdout)).toEqual({
        ping: true,
        types: ['LowCardinality(String)', 'String', 'UInt64', 'Float64'],
        rows: [
          ['Newsletter', 'EUR', 12, 6.4],
          ['Radio', 'EUR', 0, 840],
          ['newsletter', 'EUR', 1223, 566.25],
          ['newsletter', 'USD', 410, 205],
        ],
        request: {
          request_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
          account: 'acme',
          family: 'cost',
          status: 'failed',
          prev_status: 'uploaded',
          reason: expect.stringContaining('not an ISO 4217 currency code'),
          created_at: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/),
          updated_at: expect.any(String),
        },
        parameter: true,
        streamed: 300_000,
        csv: '"name"\n"CallCenterOrders"\n"OldScore"\n"StoreVisits"\n',
        limited: expect.stringContaining('TOO_MANY_ROWS_OR_BYTES'),
        refused: [
          expect.stringContaining('READONLY'),
          // The client compresses an insert before it gets an answer.
          expect.stringContaining('NOT_IMPLEMENTED'),
          expect.stringContaining('FUNCTION_NOT_ALLOWED'),
          expect.stringContaining('UNKNOWN_IDENTIFIER'),
        ],
      });
    });
  },
);

const canRunJdbc =
  runs('javac', ['-version']) && (isBuilt(JDBC_DRIVER) || runs('mvn', ['-version']));

/**
 * The official JDBC driver, which DBeaver, Metabase and Tableau use, with its defaults: it asks for
 * ClickHouse's compressed blocks.
 */
describeIf(canRunJdbc, 'a JDK or Maven is missing')('the JDBC driver', () => {
  let folder: string;
  beforeAll(() => {
    folder = builtOnce(JDBC_DRIVER, (fresh) => {
      cpSync(JDBC, fresh, { recursive: true });
      const copy = ['-q', '-B', 'dependency:copy-dependencies', '-DoutputDirectory=libs'];
      runNow('mvn', ['-f', join(fresh, 'pom.xml'), ...copy]);
    });
  }, JDBC_SET_UP_MS);

  test('reads metadata, types, parameters and a large result, and is refused what it may not', async () => {
    const classPath = join(folder, 'libs', '*');
    const url = connecting(/`(jdbc:[^`]+)`/);
    const { stdout } = await run('java', ['-cp', classPath, join(JDBC, 'Client.java'), url]);
    const lines = stdout.trim().split('\n');
    const valuesOf = (name: string): string[] =>
      lines
        .filter((line) => line.startsWith(`${name}: `))
        .map((line) => line.slice(name.length + 2));
    expect(valuesOf('product')).toEqual(['ClickHouse']);
    expect(valuesOf('tables')).toEqual(['[cost, cost_report, cost_rows, cost_summary]']);
    expect(valuesOf('columns')[0]).toMatch(/^\[account LowCardinality\(String\), date Date, /);
    expect(valuesOf('types')).toEqual(['[LowCardinality(String), String, UInt64, Float64, Date]']);
    expect(valuesOf('row')).toEqual([
      '[Newsletter, EUR, 12, 6.4]',
      '[Radio, EUR, 0, 840.0]',
      '[newsletter, EUR, 1223, 566.25]',
      '[newsletter, USD, 410, 205.0]',
    ]);
    expect(valuesOf('large')).toEqual(['[300000, 44999850000]']);
    expect(valuesOf('prepared')).toEqual(['1633', '0']);
    expect(valuesOf('unknown')[0]).toContain('UNKNOWN_IDENTIFIER');
    expect(valuesOf('function')[0]).toContain('FUNCTION_NOT_ALLOWED');
    expect(valuesOf('insert')[0]).toContain('READONLY');
    expect(valuesOf('drop')[0]).toContain('READONLY');
  });
});
