/**
 * Stands in for the image of ClickHouse. As the image does, it creates CLICKHOUSE_DB and runs the
 * scripts in /docker-entrypoint-initdb.d when its volume is new, or at each start if
 * CLICKHOUSE_ALWAYS_RUN_INITDB_SCRIPTS is set. Until then it answers on 127.0.0.1 only.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

import { Engine } from '../../clickhouse/engine.js';
import { ClickHouseServer } from '../../clickhouse/server.js';

const PORT = 8123;
const DATA = '/var/lib/clickhouse';
const SCRIPTS = '/docker-entrypoint-initdb.d';
/** Long enough for several health checks. */
const RESTART_MS = 12_000;

const {
  CLICKHOUSE_USER: user = 'default',
  CLICKHOUSE_PASSWORD: password = '',
  CLICKHOUSE_DB: database = 'default',
  CLICKHOUSE_ALWAYS_RUN_INITDB_SCRIPTS: always = '',
} = process.env;

const isNew = !existsSync(`${DATA}/warehouse`);
const engine = await Engine.open(DATA);
const server = new ClickHouseServer(engine, { user, password }, undefined);
process.on('SIGTERM', () => {
  void server
    .refuse()
    .then(() => engine.close())
    .then(() => process.exit(0));
});

if (isNew || always !== '') {
  await server.accept(PORT);
  await engine.run({
    sql: `CREATE DATABASE IF NOT EXISTS ${database}`,
    data: undefined,
    tables: [],
    database: undefined,
    settings: new Map(),
    parameters: new Map(),
    defaultFormat: 'TabSeparated',
  });
  for (const script of readdirSync(SCRIPTS).sort()) {
    console.log(`running ${script}`);
    const [code] = (await once(spawn(`${SCRIPTS}/${script}`, { stdio: 'inherit' }), 'exit')) as [
      number | null,
    ];
    if (code !== 0) throw new Error(`${script} ended with ${code}`);
    console.log(`${script} is done`);
  }
  await sleep(RESTART_MS);
  await server.refuse();
}
await server.accept(PORT, '0.0.0.0');
console.log('ready for connections');
