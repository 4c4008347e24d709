import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

import { filledIn } from '../../../src/warehouse/schema/placeholders.js';
import { statementsOf } from '../../../src/warehouse/sql.js';
import { ClickHouseHttp } from '../../support/clickhouse/clickhouse-http.js';
import { usersXml, withUserOf } from '../../support/clickhouse/users.js';
import { readReport, sqlOf } from '../../support/documents/report-dashboard.js';

/**
 * Checks what deploy/clickhouse/analysts lets an analyst do. The engine in a process takes users only from
 * its configuration. So it parses every statement unchanged, and then gets the rights and row
 * policies of the statements as the configuration of its only user.
 */

const ACCESS = new URL('../../../deploy/clickhouse/analysts/', import.meta.url);
const SCHEMA = new URL('../../../src/warehouse/schema/', import.meta.url);
/** Rights to create the schema and its rows. None of them allows reading the rows. */
const SETTING_UP = [
  'GRANT CREATE DATABASE, CREATE TABLE, CREATE VIEW, DROP VIEW, ALTER SETTINGS, ALTER COLUMN, INSERT ON custom_data.*',
  'GRANT TABLE ENGINE ON *',
  // A view is replaced by way of a temporary name.
  'GRANT SELECT, DROP TABLE ON custom_data._tmp_replace_*',
];

const PER_QUERY = 'max_temporary_data_on_disk_size_for_query';
const PER_USER = 'max_temporary_data_on_disk_size_for_user';
const LEFT_FREE = 'min_free_disk_space_for_temporary_data';
const SOON_IN_FILES = ['group_by', 'sort'].flatMap((what): Setting[] => [
  [`max_bytes_ratio_before_external_${what}`, '0'],
  [`max_bytes_before_external_${what}`, '8388608'],
]);

type Setting = readonly [name: string, value: string];

/** A row for each table. The two channels are variants of one spelling. */
const ROWS = [
  `cost SELECT {account}, today(), 'Radio', 'Brand', 1, generateUUIDv4(), now(),
     [(1, 1, 1, 'EUR', '', '', '', '', '', '')], [],
     [('EUR', 1, 1, 1)]`,
  `self_serve SELECT {account}, today(), 'radio', 'Visits', 1, generateUUIDv4(), now(),
     [(1, '', '', '', '', '', '')], []`,
  `metric_sightings SELECT {account}, 'Visits', now(), now()`,
  `metric_archivals SELECT {account}, 'Old', true, now(), 1`,
  `request_transitions SELECT generateUUIDv4(), {account}, 'cost', 'succeeded', 'ingested', NULL,
     now(), now(), 1, 1, 1, 1, 1, 1`,
];

async function scriptsIn(folder: URL): Promise<string[]> {
  const files = (await readdir(folder)).filter((file) => /^\d.*\.sql$/.test(file)).sort();
  return Promise.all(files.map((file) => readFile(new URL(file, folder), 'utf8')));
}

interface Policy {
  readonly tables: readonly string[];
  readonly condition: string;
  readonly to: string;
}

function policiesIn(statements: readonly string[]): Policy[] {
  const policy = /^CREATE ROW POLICY .*?\bON\s+(.*?)\s+USING (.*?)\s+TO (.*)$/s;
  return statements.flatMap((statement) => {
    const [, tables, condition, to] = policy.exec(statement) ?? [];
    return tables === undefined
      ? []
      : [{ tables: tables.split(/,\s*/), condition: condition!, to: to! }];
  });
}

const escaped = (sql: string): string => sql.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

async function asked(
  { user, password, url }: ClickHouseHttp,
  sql: string,
  parameters: Record<string, string> = { database: 'custom_data' },
): Promise<string> {
  const answer = await fetch(`${url}/?${new URLSearchParams(parameters).toString()}`, {
    method: 'POST',
    headers: { Authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}` },
    body: sql,
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(text);
  return text;
}

function withProfile(
  settings: readonly Setting[],
  use: (server: ClickHouseHttp) => Promise<void>,
): Promise<void> {
  const profile = settings.map(([name, value]) => `<${name}>${value}</${name}>`).join('');
  return withUserOf([], use, { profile });
}

test('an analyst may choose a time limit, but not none', async () => {
  const [script] = await scriptsIn(ACCESS);
  const limits = /max_execution_time = (\d+)(?: MIN (\d+))? MAX (\d+)/.exec(script!)!;
  const [, value, min = '0', max] = limits;
  const profile = `<max_execution_time>${value}</max_execution_time><constraints>
    <max_execution_time><min>${min}</min><max>${max}</max></max_execution_time></constraints>`;
  const use = async (server: ClickHouseHttp): Promise<void> => {
    const withLimit = (seconds: number): Promise<string> =>
      asked(server, `SELECT 1 SETTINGS max_execution_time = ${seconds}`, {});
    // What Grafana asks for.
    expect(await withLimit(65)).toBe('1\n');
    for (const refused of [0, 121]) {
      await expect(withLimit(refused)).rejects.toThrow('SETTING_CONSTRAINT_VIOLATION');
    }
  };
  await withUserOf([], use, { profile });
});

test('what an analyst groups and sorts cannot fill the disk', async () => {
  const [script] = await scriptsIn(ACCESS);
  const settings = [...script!.matchAll(/^ {4}(\w+) = (\d+)\b/gm)].map(
    ([, name, value]) => [name!, value!] as const,
  );
  expect(settings.map(([name]) => name)).toEqual(
    expect.arrayContaining([PER_QUERY, PER_USER, LEFT_FREE]),
  );
  await withProfile(settings, async (server) => {
    for (const [name, value] of settings) {
      const known = `SELECT value FROM system.settings WHERE name = '${name}'`;
      expect([name, await asked(server, known, {})]).toEqual([name, `${value}\n`]);
    }
  });

  // Texts that do not compress.
  const texts = (rows: number): string =>
    `(SELECT randomPrintableASCII(250) AS text FROM numbers(${rows}))`;
  const groups = (rows: number): string =>
    `SELECT count() FROM (SELECT text FROM ${texts(rows)} GROUP BY text)`;
  const sort = `SELECT length(text) FROM ${texts(500_000)} ORDER BY text LIMIT 1 OFFSET 499999`;
  for (const name of [PER_QUERY, PER_USER]) {
    await withProfile([...SOON_IN_FILES, [name, '33554432']], async (server) => {
      expect([name, await asked(server, groups(50_000), {})]).toEqual([name, '50000\n']);
      await expect(asked(server, groups(500_000), {})).rejects.toThrow('TOO_MANY_ROWS_OR_BYTES');
    });
  }
  await withProfile([...SOON_IN_FILES, [LEFT_FREE, String(2 ** 50)]], async (server) => {
    for (const query of [groups(500_000), sort]) {
      await expect(asked(server, query, {})).rejects.toThrow('NOT_ENOUGH_SPACE');
    }
  });
});

describe('an analyst of one account', () => {
  let statements: string[];
  let folder: string;
  let server: ClickHouseHttp;

  beforeAll(async () => {
    statements = (await scriptsIn(ACCESS)).flatMap(statementsOf);
    const grants = statements
      .filter((each) => each.startsWith('GRANT SELECT'))
      .map((each) => each.replace(' ON ', ' ON custom_data.').replace(/ TO analyst$/, ''));
    const account = policiesIn(statements).find(({ to }) => to === 'analyst_acme')!;
    const filters = account.tables.map(
      (name) => `<${name}><filter>${escaped(account.condition)}</filter></${name}>`,
    );

    folder = await mkdtemp(join(tmpdir(), 'custom-data-access-'));
    const users = join(folder, 'users.xml');
    const databases = `<databases><custom_data>${filters.join('')}</custom_data></databases>`;
    await writeFile(users, usersXml([...SETTING_UP, ...grants], databases));
    server = await ClickHouseHttp.start({
      config: `<clickhouse><users_config>${users}</users_config></clickhouse>`,
    });
    const ddl = (await scriptsIn(SCHEMA))
      .flatMap((script) => filledIn(script, 'custom_data', undefined))
      .filter((each) => !each.startsWith('CREATE MATERIALIZED VIEW'));
    await run('CREATE DATABASE custom_data', {});
    for (const statement of ddl) await run(statement);
    for (const account of ['acme', 'other']) {
      for (const row of ROWS) await run(`INSERT INTO ${row.replace('{account}', `'${account}'`)}`);
    }
  });
  afterAll(async () => {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const run = (sql: string, parameters?: Record<string, string>): Promise<string> =>
    asked(server, sql, parameters);

  test('every statement is one that the engine understands', async () => {
    expect(statements.length).toBeGreaterThan(15);
    for (const statement of statements) {
      expect(await run(`EXPLAIN AST ${statement}`)).toMatch(
        /^(?:Create\w*Query|Grant\w*Query|CREATE ROW POLICY)/,
      );
    }
  });

  test('what the files tell to run besides is understood too', async () => {
    const scripts = (await scriptsIn(ACCESS)).join('');
    const told = [...scripts.matchAll(/^-- {3}(\S.*);$/gm)].map(([, sql]) => sql!);
    expect(told.map((sql) => sql.split(' ', 1)[0])).toEqual(['CREATE', 'GRANT']);
    for (const sql of told) {
      expect(await run(`EXPLAIN AST ${sql}`)).toMatch(/^(?:Create\w*Query|Grant\w*Query)/);
    }
  });

  test('reads every view, and sees the account in each', async () => {
    const names = await run(
      "SELECT name FROM system.tables WHERE engine = 'View' AND database = 'custom_data' ORDER BY name",
    );
    const views = names.trim().split('\n');
    expect(views).toHaveLength(11);
    for (const view of views) {
      expect([view, await run(`SELECT DISTINCT account FROM ${view}`)]).toEqual([view, 'acme\n']);
    }
  });

  test('is offered the account alone by the dashboards', async () => {
    for (const name of ['actuals', 'trends', 'quality']) {
      const variable = readReport(name).templating.list.find((each) => each.name === 'account')!;
      expect(await run(sqlOf(variable))).toBe('acme\n');
    }
  });

  test('sees no more in the tables below the views', async () => {
    const [{ tables }] = policiesIn(statements) as [Policy];
    expect(tables.length).toBeGreaterThanOrEqual(ROWS.length);
    for (const table of tables) {
      expect([table, await run(`SELECT DISTINCT account FROM ${table}`)]).toEqual([
        table,
        'acme\n',
      ]);
      expect(await run(`SELECT count() FROM ${table}`)).toBe('1\n');
    }
    const others = await run(
      `SELECT name FROM system.tables WHERE database = 'custom_data' AND engine != 'View'
       AND name NOT IN (${tables.map((each) => `'${each}'`).join(', ')})`,
    );
    for (const table of others.trim().split('\n')) {
      await expect(run(`SELECT * FROM ${table}`)).rejects.toThrow('ACCESS_DENIED');
    }
  });

  test('learns how many rows all accounts have, which no policy hides', async () => {
    const sizes = `SELECT total_rows FROM system.tables
      WHERE database = 'custom_data' AND name IN ('cost', 'self_serve')`;
    expect(await run(sizes)).toBe('2\n2\n');
    const estimate = await run('EXPLAIN ESTIMATE SELECT * FROM request_transitions');
    expect(estimate).toMatch(/^custom_data\trequest_transitions\t\d+\t2\t/);
  });

  test('reads nothing else', async () => {
    for (const query of [
      'SELECT * FROM schema_migrations',
      "SELECT * FROM url('http://127.0.0.1:1/', 'CSV', 'a String')",
      "SELECT * FROM file('x', 'CSV', 'a String')",
      'SELECT * FROM system.query_log',
    ]) {
      await expect(run(query)).rejects.toThrow(/ACCESS_DENIED|UNKNOWN_TABLE/);
    }
  });

  test('is held by policies on the same tables as everybody else', () => {
    const policies = policiesIn(statements);
    const granted = statements
      .filter((each) => each.startsWith('GRANT SELECT'))
      .map((each) => / ON (\S+) /.exec(each)![1]!);
    expect(policies.map(({ to }) => to)).toEqual([
      'analyst',
      'ALL EXCEPT analyst',
      'analyst_acme',
      'analyst_of_all',
    ]);
    for (const { tables } of policies) {
      expect(tables).toEqual(policies[0]!.tables);
      expect(granted).toEqual(expect.arrayContaining([...tables]));
    }
  });
});
