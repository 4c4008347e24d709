import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';

import { ConfigError } from '../../config/config.js';
import { Backoff, sleep } from '../../domain/retry.js';
import { UINT16, STRING, blockOf, column } from '../native/block.js';
import { identifier, text } from '../sql.js';
import type { Warehouse } from '../warehouse.js';
import { filledIn } from './placeholders.js';

/**
 * The schema is a row of numbered scripts, `NNN-name.sql`, with placeholders (`placeholders.ts`).
 * The hundreds of a number are its major version: a script that takes away what an older program
 * needs begins a new hundred, everything else (a new table, a column with a default) goes on in the
 * same one.
 *
 * Every statement may run again (`IF NOT EXISTS`, `OR REPLACE`), and a script is recorded after its last one, so
 * a migration that was killed in the middle is completed by the next. A script that has been released
 * never changes; until the first release scripts change in place, and `dump.sql` with them.
 */
interface Migration {
  readonly number: number;
  readonly name: string;
  readonly script: string;
  /** SHA-256 of the script, in hexadecimal. */
  readonly digest: string;
}

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 2_000;
const SCRIPTS = new URL('./', import.meta.url);

const MIGRATIONS_TABLE = `CREATE TABLE IF NOT EXISTS {database}.schema_migrations{local}{everywhere}
(number UInt16, name String, digest String, applied_at DateTime('UTC') DEFAULT now())
ENGINE = {Replicated}ReplacingMergeTree ORDER BY number
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1;

{on a cluster} CREATE TABLE IF NOT EXISTS {database}.schema_migrations{everywhere} AS {database}.schema_migrations{local}
ENGINE = Distributed({cluster}, {database}, schema_migrations{local}, cityHash64(number));`;

/**
 * Brings the schema up to date, and makes the database when there is none. Only one process at a
 * time may do this.
 *
 * @param cluster the servers' name for the cluster; undefined: a single server
 * @param folder has the scripts
 * @throws ConfigError before anything but the list of applied scripts is made
 */
export async function migrate(
  warehouse: Warehouse,
  database: string,
  cluster?: string,
  folder = SCRIPTS,
): Promise<void> {
  const migrations = await readMigrations(folder);
  const run = async (script: string): Promise<void> => {
    for (const sql of filledIn(script, database, cluster)) await warehouse.execute(sql);
  };
  await createDatabase(warehouse, database, cluster);
  await run(MIGRATIONS_TABLE);
  const applied = await appliedScripts(warehouse, database);
  refuseOthers(database, migrations, applied);
  for (const { number, name, script, digest } of migrations) {
    if (applied.has(number)) continue;
    await run(script);
    await warehouse.insert(
      'schema_migrations',
      blockOf(
        [
          column('number', UINT16, [number]),
          column('name', STRING, [name]),
          column('digest', STRING, [digest]),
        ],
        1,
      ),
    );
  }
}

/**
 * Resolves when another process has brought the schema to the version that this one needs.
 *
 * @throws ConfigError
 */
export async function waitForSchema(
  warehouse: Warehouse,
  database: string,
  signal: AbortSignal,
): Promise<void> {
  const migrations = await readMigrations(SCRIPTS);
  const backoff = new Backoff(FIRST_PAUSE_MS, LONGEST_PAUSE_MS);
  for (;;) {
    const applied = await appliedScripts(warehouse, database);
    refuseOthers(database, migrations, applied);
    if (migrations.every(({ number }) => applied.has(number))) return;
    await sleep(backoff.next(), signal);
    signal.throwIfAborted();
  }
}

async function createDatabase(
  warehouse: Warehouse,
  database: string,
  cluster: string | undefined,
): Promise<void> {
  // A user who may not create databases can still migrate one that was made for it.
  if (cluster === undefined && (await databaseExists(warehouse, database))) return;
  const everywhere = cluster === undefined ? '' : ` ON CLUSTER ${text(cluster)}`;
  await warehouse.execute(`CREATE DATABASE IF NOT EXISTS ${identifier(database)}${everywhere}`);
}

export async function databaseExists(warehouse: Warehouse, database: string): Promise<boolean> {
  const rows = await warehouse.query(
    'SELECT 1 FROM system.databases WHERE name = {database:String}',
    { database },
  );
  return rows.length > 0;
}

async function readMigrations(folder: URL): Promise<Migration[]> {
  const names = (await readdir(folder)).filter((name) => /^\d{3}-.*\.sql$/.test(name)).sort();
  return Promise.all(
    names.map(async (name) => {
      const script = await readFile(new URL(name, folder), 'utf8');
      return {
        number: Number(name.slice(0, 3)),
        name: name.slice(4, -'.sql'.length),
        script,
        digest: createHash('sha256').update(script).digest('hex'),
      };
    }),
  );
}

/** By number: the digests of the scripts that were applied; blank where none was recorded. */
async function appliedScripts(
  warehouse: Warehouse,
  database: string,
): Promise<ReadonlyMap<number, string>> {
  // The table or the database may not exist yet, and asking for it by name would be an error.
  const columns = await warehouse.query<{ name: string }>(
    'SELECT name FROM system.columns WHERE database = {database:String} AND table = {table:String}',
    { database, table: 'schema_migrations' },
  );
  if (columns.length === 0) return new Map();
  const digest = columns.some(({ name }) => name === 'digest') ? 'digest' : "''";
  const rows = await warehouse.query<{ number: number; digest: string }>(
    `SELECT number, ${digest} AS digest FROM ${identifier(database)}.schema_migrations`,
  );
  return new Map(rows.map((row) => [row.number, row.digest]));
}

function refuseOthers(
  database: string,
  known: readonly Migration[],
  applied: ReadonlyMap<number, string>,
): void {
  const mine = majorOf(Math.max(...known.map(({ number }) => number)));
  const theirs = majorOf(Math.max(0, ...applied.keys()));
  const isOther = ({ number, digest }: Migration): boolean =>
    applied.has(number) && applied.get(number) !== digest;
  if (known.some(isOther)) {
    throw new ConfigError(
      `the tables of ${database} have the layout of a program before the first release, which this one does not know: remove them (embedded: the folder DATA_DIR) and upload again`,
    );
  }
  if (theirs > mine) {
    throw new ConfigError(
      `the warehouse's schema has major version ${theirs}, this program works with ${mine}`,
    );
  }
}

function majorOf(number: number): number {
  return Math.floor(number / 100);
}
