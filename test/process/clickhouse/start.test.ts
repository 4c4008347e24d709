import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';

import { ChdbWarehouse } from '../../../src/warehouse/chdb/chdb-warehouse.js';
import { migrate } from '../../../src/warehouse/schema/migrate.js';
import { outcomeOf } from '../../support/service/outcome.js';
import { ClickHouseHttp } from '../../support/clickhouse/clickhouse-http.js';
import { makeCertificate } from '../../support/machine/certificate.js';
import { COMPILED_ONCE } from '../../support/machine/compile-cache.js';
import { freePorts } from '../../support/machine/free-ports.js';
import { makeDataDir, removeDataDir } from '../../support/service/service-process.js';
import { connectTo } from '../../support/chdb/warehouses.js';

/** How the built service starts on a server that is not usable yet, or never will be. */

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

let server: ClickHouseHttp;
let dataDir: string;
let ops: number;
let child: ChildProcess;
let closed: Promise<unknown>;
let output: string;
let errors: string;

beforeAll(async () => {
  server = await ClickHouseHttp.start();
  const connection = connectTo(server);
  await migrate(connection, 'custom_data');
  await connection.close();
});
beforeEach(async () => {
  dataDir = await makeDataDir();
});
afterEach(async () => {
  if (child.exitCode === null) {
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
  await server.heal();
  await removeDataDir(dataDir);
});
afterAll(() => server.stop());

async function launch(env: Record<string, string>): Promise<void> {
  [ops] = (await freePorts(1)) as [number];
  child = spawn(process.execPath, ['dist/main.js'], {
    cwd: ROOT,
    env: {
      PATH: process.env['PATH'],
      DATA_DIR: dataDir,
      HTTP_PORT: '0',
      OPS_PORT: String(ops),
      ...COMPILED_ONCE,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  closed = once(child, 'close');
  output = '';
  errors = '';
  child.stdout!.on('data', (text: Buffer) => (output += text.toString()));
  child.stderr!.on('data', (text: Buffer) => (errors += text.toString()));
}

/** Returns the status of a health check, or undefined while nothing answers. */
async function health(path: 'live' | 'ready'): Promise<number | undefined> {
  try {
    return (await fetch(`http://127.0.0.1:${ops}/health/${path}`)).status;
  } catch {
    return undefined;
  }
}

async function until(condition: () => Promise<boolean> | boolean): Promise<void> {
  while (!(await condition())) {
    if (child.exitCode !== null) throw new Error(`the service ended: ${errors}`);
    await sleep(50);
  }
}

async function exitCode(): Promise<number | null> {
  await closed;
  return child.exitCode;
}

async function listening(): Promise<void> {
  await until(() => output.includes('"listening"'));
  await until(async () => (await health('ready')) === 200);
}

test('a server that is away is waited for: live, and not ready', async () => {
  await server.refuse();
  await launch(server.env);
  await until(async () => (await health('live')) === 200);
  await until(() => output.includes('waiting for the log or the warehouse'));
  expect(await health('ready')).toBe(503);
  expect(output).not.toContain('"listening"');
  await server.heal();
  await listening();
  for (const secret of [server.password, encodeURIComponent(server.password)]) {
    expect(output + errors).not.toContain(secret);
  }
});

test('SIGTERM ends the wait', async () => {
  await server.refuse();
  await launch(server.env);
  await until(() => output.includes('waiting for the log or the warehouse'));
  child.kill('SIGTERM');
  expect(await exitCode()).toBe(0);
  expect(errors).toBe('');
});

test('a schema that is not there yet is waited for', async () => {
  const env = { ...server.env, CLICKHOUSE_DATABASE: 'later' };
  const connection = connectTo(server);
  await connection.execute('CREATE DATABASE later');
  await connection.close();
  await launch(env);
  await until(() => output.includes('waiting for its schema'));
  expect(await health('ready')).toBe(503);
  expect(await outcomeOf({ ...env, DATA_DIR: dataDir }, 'migrate')).toMatchObject({ code: 0 });
  await listening();
});

test.each([
  [
    'a wrong password',
    { CLICKHOUSE_PASSWORD: 'secret' },
    'CLICKHOUSE_USER, CLICKHOUSE_PASSWORD: the ClickHouse server does not accept them\n',
  ],
  [
    'a missing database',
    { CLICKHOUSE_DATABASE: 'absent' },
    'CLICKHOUSE_DATABASE: the ClickHouse server has no database absent; `custom-data migrate` makes it\n',
  ],
  [
    'a certificate file that is not there',
    { CLICKHOUSE_URL: 'https://127.0.0.1:1', CLICKHOUSE_CA_FILE: '/nowhere/ca.pem' },
    'CLICKHOUSE_CA_FILE: /nowhere/ca.pem cannot be read (ENOENT)\n',
  ],
])('%s ends the start with one line', async (_, env, line) => {
  await launch({ ...server.env, ...env });
  expect(await exitCode()).toBe(2);
  expect(errors).toBe(line);
  expect(output).not.toContain('"listening"');
});

/** The record of a migration by a program from before the first release. */
const OLDER = [
  'CREATE TABLE older.schema_migrations (number UInt16, name String) ENGINE = ReplacingMergeTree ORDER BY number',
  "INSERT INTO older.schema_migrations VALUES (101, 'cost')",
];
const REFUSED =
  /^the tables of older have the layout of a program before the first release, .*: remove them .* and upload again\n$/;

test('tables of an older layout end the start with one line', async () => {
  await server.query('CREATE DATABASE IF NOT EXISTS older');
  for (const statement of OLDER) await server.query(statement);
  await launch({ ...server.env, CLICKHOUSE_DATABASE: 'older' });
  expect(await exitCode()).toBe(2);
  expect(errors).toMatch(REFUSED);
});

test('a data folder of an older layout ends the start with one line', async () => {
  const warehouse = await ChdbWarehouse.open(dataDir, 'older');
  for (const statement of OLDER) await warehouse.execute(statement);
  await warehouse.close();
  await launch({ CLICKHOUSE_DATABASE: 'older', QUERY_PORT: '0' });
  expect(await exitCode()).toBe(2);
  expect(errors).toMatch(REFUSED);
});

test('TLS by private authorities on both sides, gzip, and the password in a file', async () => {
  const password = join(dataDir, 'password');
  const server = makeCertificate(dataDir, 'server');
  const client = makeCertificate(dataDir, 'client');
  const tls = {
    key: await readFile(server.key, 'utf8'),
    cert: await readFile(server.cert, 'utf8'),
    clientCa: await readFile(client.cert, 'utf8'),
  };
  const secure = await ClickHouseHttp.start({ tls });
  try {
    await writeFile(password, `${secure.password}\n`);
    const env = {
      CLICKHOUSE_URL: secure.url,
      CLICKHOUSE_USER: secure.user,
      CLICKHOUSE_PASSWORD_FILE: password,
      CLICKHOUSE_CA_FILE: server.cert,
      CLICKHOUSE_CERT_FILE: client.cert,
      CLICKHOUSE_KEY_FILE: client.key,
      CLICKHOUSE_COMPRESSION: 'gzip',
      DATA_DIR: dataDir,
    };
    expect(await outcomeOf(env, 'migrate')).toMatchObject({ code: 0 });
    // The certificate of the authority is missing.
    await launch({ ...env, CLICKHOUSE_CA_FILE: '' });
    expect(await exitCode()).toBe(2);
    expect(errors).toMatch(/^CLICKHOUSE_URL, CLICKHOUSE_CA_FILE: no secure connection .*\n$/);
    await launch(env);
    await listening();
  } finally {
    await secure.stop();
  }
});
